// Which steps are rows: those that the filters let through. What they keep back is one row that says
// how many it is.

import type { Story } from "./story";

/** What is to be shown. */
export interface Filter {
  lanes: ReadonlySet<number>;
  events: ReadonlySet<string>;
  /** Only these steps, where given. */
  only?: ReadonlySet<number> | undefined;
  /** Steps that were asked for by hand, or are selected: shown whatever the filters say. */
  anyway: ReadonlySet<number>;
}

export type Row = { step: number } | { from: number; to: number };

export interface Rows {
  list: Row[];
  /** The row of each step: its own, or the one that stands for it. */
  of: Int32Array;
  hidden: number;
}

export function shown(story: Story, filter: Filter, position: number): boolean {
  const step = story.steps[position]!;
  if (filter.anyway.has(position)) return true;
  if (filter.only && !filter.only.has(position)) return false;
  if (filter.lanes.has(step.lane)) return false;
  return step.event === undefined || !filter.events.has(step.event);
}

export function rows(story: Story, filter: Filter): Rows {
  const list: Row[] = [];
  const of = new Int32Array(story.steps.length);
  let hidden = 0;
  for (let position = 0; position < of.length; position++) {
    if (shown(story, filter, position)) {
      list.push({ step: position });
    } else {
      hidden++;
      const last = list.at(-1);
      if (last && "to" in last) last.to = position;
      else list.push({ from: position, to: position });
    }
    of[position] = list.length - 1;
  }
  return { list, of, hidden };
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
