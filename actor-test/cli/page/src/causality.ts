// What led to a step.

import type { Step, Story } from "./story";

/** The steps that a step directly follows from: the actor's step before, the one that sent what it
 *  handles, the one that set its timer, and for its first step the one that created the actor. */
export function direct(story: Story, position: number): number[] {
  const step = story.steps[position]!;
  const lane = story.lanes[step.lane]!;
  const own = lane.steps[indexOf(lane.steps, position) - 1] ?? lane.begins;
  const earlier = [own, from(story, step)];
  return earlier.filter((at): at is number => at !== undefined && at < position);
}

/** Where what a step handles, receives, goes on with or fires is from. */
function from(story: Story, step: Step): number | undefined {
  if (step.timer !== undefined) return story.timers[step.timer]!.armed;
  const received = step.effects.find((effect) => effect.effect === "received");
  const message = step.message ?? received?.message ?? step.answer;
  return message === undefined ? undefined : story.messages[message]!.sent;
}

/** Everything that may have had an influence on a step, itself included. */
export function causes(story: Story, position: number): Set<number> {
  const cone = new Set<number>([position]);
  const todo = [position];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    for (const cause of direct(story, next)) {
      if (!cone.has(cause)) {
        cone.add(cause);
        todo.push(cause);
      }
    }
  }
  return cone;
}

/** The chain of messages that ends in a step: who sent what it handles, what that one handled when it
 *  sent it, and so on. */
export function chain(story: Story, position: number): Set<number> {
  const links = new Set<number>();
  let at: number | undefined = position;
  while (at !== undefined && !links.has(at)) {
    links.add(at);
    const step: Step = story.steps[at]!;
    at = step.kind === "flush" ? handler(story, at) : from(story, step);
  }
  return links;
}

/** The step in which an actor's code ran whose outbox a later step carries out. */
function handler(story: Story, position: number): number | undefined {
  const own = story.lanes[story.steps[position]!.lane]!.steps;
  let at = indexOf(own, position) - 1;
  while (at >= 0 && story.steps[own[at]!]!.kind === "flush") at--;
  return own[at];
}

/** Where a number is in an ascending list, or where it would be. */
export function indexOf(list: readonly number[], wanted: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
