// Which steps are rows: those that the filters let through. What they keep back is one row that says
// how many it is, and none for plumbing.

import type { Story } from "./story";

/** What is to be shown. */
export interface Filter {
  columns: ReadonlySet<number>;
  events: ReadonlySet<string>;
  /** Only these steps, where given. */
  only?: ReadonlySet<number> | undefined;
  /** Whether steps that do no more than send have rows of their own. */
  hasSends: boolean;
  /** Steps that have a row even where they only send. */
  matter: ReadonlySet<number>;
  /** Steps that were asked for by hand, or are selected: shown whatever else is said. */
  anyway: ReadonlySet<number>;
}

export type Row = { step: number } | { from: number; to: number };

export interface Rows {
  list: Row[];
  /** The row of each step: its own, or the one that stands for it. */
  of: Int32Array;
  hidden: number;
  /** How many steps do no more than send, and have no row: their arrows begin where their handler ran. */
  sends: number;
}

export function shown(story: Story, filter: Filter, position: number): boolean {
  const step = story.steps[position]!;
  if (filter.anyway.has(position)) return true;
  if (filter.only && !filter.only.has(position)) return false;
  if (filter.columns.has(story.lanes[step.lane]!.column)) return false;
  return step.event === undefined || !filter.events.has(step.event);
}

export function rows(story: Story, filter: Filter): Rows {
  const list: Row[] = [];
  const of = new Int32Array(story.steps.length);
  let hidden = 0;
  let sends = 0;
  const needed = (position: number): boolean =>
    filter.anyway.has(position) || filter.matter.has(position);
  /** The last row of each lane. */
  const last: number[] = [];
  for (let position = 0; position < of.length; position++) {
    const { lane } = story.steps[position]!;
    if (shown(story, filter, position)) {
      if (!filter.hasSends && !needed(position) && isSend(story, position)) {
        sends++;
        of[position] = last[lane] ?? Math.max(0, list.length - 1);
        continue;
      }
      last[lane] = list.length;
      list.push({ step: position });
    } else if (filter.columns.has(story.lanes[lane]!.column) && isQuiet(story, lane)) {
      hidden++;
      of[position] = Math.max(0, list.length - 1);
      continue;
    } else {
      hidden++;
      const before = list.at(-1);
      if (before && "to" in before) before.to = position;
      else list.push({ from: position, to: position });
    }
    of[position] = list.length - 1;
  }
  return { list, of, hidden, sends };
}

function isQuiet(story: Story, lane: number): boolean {
  return story.columns[story.lanes[lane]!.column]!.isQuiet;
}

/** It sends what a handler asked for, and nothing else happens. */
function isSend(story: Story, position: number): boolean {
  const { kind, effects, moves } = story.steps[position]!;
  const arrives = effects.every(
    (effect) => effect.effect === "sent" && (effect.arrival === "arrived" || effect.arrival === "deferred"),
  );
  return kind === "flush" && arrives && effects.length > 0 && moves.length === 0;
}

/** The nearest step in a direction that has a row of its own; the same one where there is none. */
export function neighbour(rows: Rows, position: number, by: number): number {
  const towards = Math.sign(by);
  let left = Math.abs(by);
  let found = position;
  for (let row = (rows.of[position] ?? 0) + towards; left > 0; row += towards) {
    const at = rows.list[row];
    if (!at) break;
    if ("step" in at) {
      found = at.step;
      left--;
    }
  }
  return found;
}
