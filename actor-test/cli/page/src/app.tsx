// The page: what is selected, filtered and searched for, and the parts that show it.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Arrows } from "./arrows";
import { causes, chain } from "./causality";
import { quietColumns } from "./columns";
import { compare } from "./compare";
import { Details } from "./details";
import { Differences } from "./differences";
import { target } from "./keyboard";
import { Legend } from "./legend";
import { rows } from "./rows";
import { Search } from "./search";
import type { Story } from "./story";
import { Summary } from "./summary";
import { choose, current } from "./theme";
import { Timeline } from "./timeline";
import { Choice, SearchBox, eventsOf, actorsOf } from "./toolbar";
import { count } from "./values";

/** In a longer story, steps that only send have no rows of their own at first. */
const SHORT = 40;

const NONE: ReadonlySet<never> = new Set();

export function App({ story }: { story: Story }) {
  const [selected, select] = useState(story.finding?.step ?? 0);
  const [hiddenColumns, hideColumns] = useState(() => quietColumns(story));
  const [hiddenEvents, hideEvents] = useState<ReadonlySet<string>>(NONE);
  const [causesOf, showCausesOf] = useState<number>();
  const [hasSends, showSends] = useState(story.steps.length <= SHORT);
  const [revealed, reveal] = useState<ReadonlySet<number>>(NONE);
  const [query, setQuery] = useState("");
  const [theme, setTheme] = useState(current);
  const [hasLegend, showLegend] = useState(false);
  const [isCompared, showCompared] = useState(false);
  const scroller = useRef<HTMLDivElement>(null!);
  const twin = useRef<HTMLDivElement>(null!);
  const input = useRef<HTMLInputElement>(null!);

  const arrows = useMemo(() => new Arrows(story), [story]);
  const searching = useMemo(() => new Search(story), [story]);
  const only = useMemo(
    () => (causesOf === undefined ? undefined : causes(story, causesOf)),
    [story, causesOf],
  );
  const races = useMemo(
    () => new Set(story.cause.races.flatMap(({ first, second }) => [first, second])),
    [story],
  );
  const matter = useMemo(() => {
    const steps = [story.finding?.step, story.cause.decided?.step, ...races];
    return new Set(steps.filter((step) => step !== undefined));
  }, [story, races]);
  const anyway = useMemo(() => new Set([selected, ...revealed]), [revealed, selected]);
  const shown = useMemo(
    () => rows(story, { columns: hiddenColumns, events: hiddenEvents, only, hasSends, matter, anyway }),
    [story, hiddenColumns, hiddenEvents, only, hasSends, matter, anyway],
  );
  const links = useMemo(() => chain(story, selected), [story, selected]);
  const found = useMemo(() => searching.find(query), [searching, query]);
  const foundSet = useMemo(() => new Set(found), [found]);
  const actors = useMemo(() => actorsOf(story), [story]);
  const events = useMemo(() => eventsOf(story), [story]);
  const compared = useMemo(
    () => (isCompared && story.passing ? compare(story, story.passing) : undefined),
    [story, isCompared],
  );

  const toggleComparison = (): void => {
    if (!isCompared && story.passing) {
      select(Math.min(compare(story, story.passing).fork, story.steps.length - 1));
    }
    showCompared(!isCompared);
  };
  const next = (by: number): void => {
    const at = found.indexOf(selected);
    const later = found.findIndex((step) => step > selected);
    const from = at >= 0 ? at : (later < 0 ? found.length : later) - (by > 0 ? 1 : 0);
    const to = found.at((from + by + found.length) % Math.max(1, found.length));
    if (to !== undefined) select(to);
  };
  const toggleTheme = (): void => {
    const other = theme === "dark" ? "light" : "dark";
    choose(other);
    setTheme(other);
  };
  const toggleCauses = (): void => showCausesOf(causesOf === undefined ? selected : undefined);

  // Before the first paint: no key is lost.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof Element && event.target.closest("input[type=search], dialog, .menu");
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      const inDetails = event.target instanceof Element && event.target.closest(".details");
      if (inDetails && /^(Arrow(Up|Down)|Page|Home|End)/.test(event.key)) return;
      const to = target(event.key, { story, rows: shown, selected, races });
      if (to !== undefined) select(to);
      else if (event.key === "/") input.current.focus();
      else if (event.key === "?") showLegend(true);
      else if (event.key === "s") showSends(!hasSends);
      else if (event.key === "t") toggleTheme();
      else if (event.key === "l") toggleCauses();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });

  const isFiltered = shown.hidden > 0;
  const search = { query, found, at: found.indexOf(selected) };
  const common = {
    hiddenColumns,
    onSelect: select,
    onReveal: (from: number, to: number): void => {
      const more = new Set(revealed);
      for (let at = from; at <= to; at++) more.add(at);
      reveal(more);
    },
  };
  return (
    <div class={`app${compared ? " compares" : ""}`}>
      <header>
        <Summary story={story} onGo={select} />
        <div class="bar" role="toolbar" aria-label="Search and filters">
          <SearchBox search={search} input={input} onQuery={setQuery} onNext={next} />
          <Choice title="Actors:" options={actors} hidden={hiddenColumns} onChange={hideColumns} />
          <Choice title="Events:" options={events} hidden={hiddenEvents} onChange={hideEvents} />
          <button type="button" aria-pressed={hasSends} onClick={() => showSends(!hasSends)}>
            Rows for sends
          </button>
          {isFiltered ? (
            <button
              type="button"
              onClick={() => {
                hideColumns(NONE);
                hideEvents(NONE);
                showCausesOf(undefined);
                reveal(NONE);
              }}
            >
              Show all ({count(shown.hidden, "step")} not shown)
            </button>
          ) : null}
          {story.passing ? (
            <button type="button" aria-pressed={isCompared} onClick={toggleComparison}>
              Compare with the nearest passing run
            </button>
          ) : null}
          <span class="rest" />
          <button type="button" onClick={toggleTheme}>
            {theme === "dark" ? "Light" : "Dark"}
          </button>
          <button type="button" onClick={() => showLegend(true)}>
            Legend and keys
          </button>
        </div>
      </header>
      <main>
        <Timeline
          {...common}
          {...{ story, arrows, selected, races, scroller }}
          rows={shown}
          chain={links}
          found={foundSet}
          apart={compared?.apart[0]}
          id="step"
          label="Steps"
          twin={compared ? twin : undefined}
        />
        {compared && story.passing ? (
          <Passing
            story={story.passing}
            hasSends={hasSends}
            fork={compared.fork}
            apart={compared.apart[1]}
            scroller={twin}
            twin={scroller}
          />
        ) : null}
        <aside>
          {compared ? <Differences story={story} compared={compared} onGo={select} /> : null}
          <Details
            story={story}
            position={selected}
            onGo={select}
            isOnlyCauses={causesOf === selected}
            onOnlyCauses={(only) => showCausesOf(only ? selected : undefined)}
          />
        </aside>
      </main>
      {hasLegend ? <Legend onClose={() => showLegend(false)} /> : null}
    </div>
  );
}

/** The nearest execution without the bug, beside the one with it. */
function Passing(props: {
  story: Story;
  hasSends: boolean;
  fork: number;
  apart: ReadonlySet<number>;
  scroller: { current: HTMLDivElement };
  twin: { current: HTMLDivElement };
}) {
  const { story, hasSends, fork, apart, scroller, twin } = props;
  const [selected, select] = useState(Math.min(fork, story.steps.length - 1));
  const arrows = useMemo(() => new Arrows(story), [story]);
  const quiet = useMemo(() => quietColumns(story), [story]);
  const all = useMemo(
    () =>
      rows(story, {
        columns: quiet,
        events: NONE,
        hasSends,
        matter: apart,
        anyway: new Set([selected]),
      }),
    [story, quiet, hasSends, apart, selected],
  );
  const links = useMemo(() => chain(story, selected), [story, selected]);
  return (
    <Timeline
      {...{ story, arrows, selected, apart, scroller, twin }}
      rows={all}
      chain={links}
      races={NONE}
      found={NONE}
      hiddenColumns={quiet}
      id="passing"
      label="Steps of the nearest passing run"
      onSelect={select}
      onReveal={() => undefined}
    />
  );
}
