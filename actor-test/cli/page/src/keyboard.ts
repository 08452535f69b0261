// Which step a key leads to.

import { indexOf } from "./causality";
import { neighbour, type Rows } from "./rows";
import type { Story } from "./story";

const PAGE = 20;

export interface Place {
  story: Story;
  rows: Rows;
  selected: number;
  races: ReadonlySet<number>;
}

export function target(key: string, place: Place): number | undefined {
  const { story, rows, selected, races } = place;
  switch (key) {
    case "ArrowDown":
    case "j":
      return neighbour(rows, selected, 1);
    case "ArrowUp":
    case "k":
      return neighbour(rows, selected, -1);
    case "PageDown":
      return neighbour(rows, selected, PAGE);
    case "PageUp":
      return neighbour(rows, selected, -PAGE);
    case "Home":
      return neighbour(rows, selected, -rows.list.length);
    case "End":
      return neighbour(rows, selected, rows.list.length);
    case "n":
      return ofActor(place, 1);
    case "p":
      return ofActor(place, -1);
    case "ArrowRight":
      return handled(place);
    case "ArrowLeft":
      return sent(place);
    case "b":
      return story.finding?.step;
    case "c":
      return story.cause.decided?.step;
    case "r": {
      const steps = [...races].sort((a, b) => a - b);
      return steps.find((step) => step > selected) ?? steps[0];
    }
    default:
      return undefined;
  }
}

/** The next or the previous step of the same actor that is shown. */
function ofActor({ story, rows, selected }: Place, by: number): number {
  const { steps } = story.columns[story.lanes[story.steps[selected]!.lane]!.column]!;
  let at = indexOf(steps, selected) + by;
  while (steps[at] !== undefined && !("step" in rows.list[rows.of[steps[at]!]!]!)) at += by;
  return steps[at] ?? selected;
}

/** Where what the step sends is handled. */
function handled({ story, selected }: Place): number {
  for (const effect of story.steps[selected]!.effects) {
    if (effect.effect !== "sent") continue;
    const at = story.messages[effect.message]!.handled;
    if (at !== undefined) return at;
  }
  return selected;
}

/** Where what the step handles was sent. */
function sent({ story, selected }: Place): number {
  const step = story.steps[selected]!;
  const message = step.message ?? step.answer;
  return (message === undefined ? undefined : story.messages[message]!.sent) ?? selected;
}
