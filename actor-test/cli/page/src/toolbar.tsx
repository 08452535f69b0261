// Search, filters, and what else the reader can switch.

import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Story } from "./story";

export interface SearchState {
  query: string;
  found: number[];
  /** The position in `found` of the step that is selected, if it is one of them. */
  at: number;
}

export function SearchBox(props: {
  search: SearchState;
  input: RefObject<HTMLInputElement>;
  onQuery(query: string): void;
  onNext(by: number): void;
}) {
  const { search, input, onQuery, onNext } = props;
  const { query, found, at } = search;
  return (
    <span class="search" role="search">
      <input
        type="search"
        ref={input}
        value={query}
        placeholder="Search"
        aria-label="Search steps: events, values, states, actors"
        onInput={(event) => onQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") onNext(event.shiftKey ? -1 : 1);
          if (event.key === "Escape") onQuery("");
        }}
      />
      <span class="hits" role="status">
        {query.trim() === "" ? "" : `${at < 0 ? "" : `${at + 1} of `}${found.length.toLocaleString("en")} found`}
      </span>
      <button type="button" disabled={found.length === 0} aria-label="Previous match" onClick={() => onNext(-1)}>
        ↑
      </button>
      <button type="button" disabled={found.length === 0} aria-label="Next match" onClick={() => onNext(1)}>
        ↓
      </button>
    </span>
  );
}

/** A list of what can be hidden, behind a button. */
export function Choice<T extends string | number>(props: {
  title: string;
  options: { value: T; label: string; many: number }[];
  hidden: ReadonlySet<T>;
  onChange(hidden: Set<T>): void;
}) {
  const { title, options, hidden, onChange } = props;
  const box = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event): void => {
      if (box.current?.open && !box.current.contains(event.target as Node)) box.current.open = false;
    };
    addEventListener("pointerdown", close);
    return () => removeEventListener("pointerdown", close);
  }, []);
  const toggle = (value: T): void => {
    const next = new Set(hidden);
    if (!next.delete(value)) next.add(value);
    onChange(next);
  };
  const shown = options.length - options.filter(({ value }) => hidden.has(value)).length;
  return (
    <details
      class="choice"
      ref={box}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !box.current) return;
        box.current.open = false;
        box.current.querySelector("summary")?.focus();
      }}
    >
      <summary>
        {title} {shown < options.length ? `${shown} of ${options.length}` : "all"}
      </summary>
      <div class="menu">
        <p>
          <button type="button" onClick={() => onChange(new Set())}>
            All
          </button>{" "}
          <button type="button" onClick={() => onChange(new Set(options.map(({ value }) => value)))}>
            None
          </button>
        </p>
        {options.map(({ value, label, many }) => (
          <label key={value}>
            <input type="checkbox" checked={!hidden.has(value)} onChange={() => toggle(value)} /> {label}{" "}
            <span class="many">{many.toLocaleString("en")}</span>
          </label>
        ))}
      </div>
    </details>
  );
}

export function actorsOf(story: Story) {
  return story.columns.map(({ name, steps }, value) => ({ value, label: name, many: steps.length }));
}

/** The names of events, the most frequent first. */
export function eventsOf(story: Story) {
  const many = new Map<string, number>();
  for (const { event } of story.steps) {
    if (event !== undefined) many.set(event, (many.get(event) ?? 0) + 1);
  }
  const options = [...many].map(([value, many]) => ({ value, label: value, many }));
  return options.sort((a, b) => b.many - a.many || (a.value < b.value ? -1 : 1));
}
