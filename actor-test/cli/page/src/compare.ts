// Two executions of one test: where they part, and what each has that the other doesn't.

import { fieldsAfter, stateAfter } from "./fields";
import type { Step, Story } from "./story";

export interface Comparison {
  /** The first step that differs, in both. */
  fork: number;
  /** In each, that step, and those that the other doesn't have. */
  apart: [ReadonlySet<number>, ReadonlySet<number>];
  /** How actors differ in the end. */
  differences: Difference[];
}

export interface Difference {
  actor: string;
  field: string;
  here?: string | undefined;
  there?: string | undefined;
}

export function compare(here: Story, there: Story): Comparison {
  const keys = [identities(here), identities(there)] as const;
  let fork = 0;
  while (fork < keys[0].length && keys[0][fork] === keys[1][fork]) fork++;
  return {
    fork,
    apart: [
      without(keys[0], keys[1]).add(Math.min(fork, keys[0].length - 1)),
      without(keys[1], keys[0]).add(Math.min(fork, keys[1].length - 1)),
    ],
    differences: differences(here, there),
  };
}

/** What names each step whatever the schedule: who takes it, and for the how manyth time what. */
function identities(story: Story): string[] {
  const seen = new Map<string, number>();
  return story.steps.map((step) => {
    const key = identity(story, step);
    const many = (seen.get(key) ?? 0) + 1;
    seen.set(key, many);
    return `${key} ${many}`;
  });
}

function identity(story: Story, step: Step): string {
  const sent = step.effects.flatMap((effect) =>
    effect.effect === "sent" ? [story.messages[effect.message]!.id] : [],
  );
  const handled = step.message === undefined ? "" : story.messages[step.message]!.id;
  return [story.lanes[step.lane]!.path, step.kind, handled, ...sent].join(" ");
}

function without(keys: string[], others: string[]): Set<number> {
  const known = new Set(others);
  return new Set(keys.flatMap((key, at) => (known.has(key) ? [] : [at])));
}

function differences(here: Story, there: Story): Difference[] {
  const found: Difference[] = [];
  const others = new Map(there.lanes.map(({ path }, lane) => [path, lane]));
  here.lanes.forEach(({ path, name }, lane) => {
    const other = others.get(path);
    if (other === undefined) return;
    const [mine, yours] = [known(here, lane), known(there, other)];
    for (const field of new Set([...mine.keys(), ...yours.keys()])) {
      const [a, b] = [mine.get(field), yours.get(field)];
      if (a !== b) found.push({ actor: name, field, here: a, there: b });
    }
  });
  return found;
}

/** The state and the fields of an actor in the end. */
function known(story: Story, lane: number): Map<string, string> {
  const last = story.steps.length - 1;
  const state = stateAfter(story, lane, last);
  const fields = fieldsAfter(story, lane, last);
  return state === undefined ? fields : new Map([["state", state], ...fields]);
}
