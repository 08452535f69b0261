// What is known of an actor's fields after a step.

import type { Change, Story } from "./story";

/** The fields of an actor after a step, by name. */
export function fieldsAfter(story: Story, lane: number, position: number): Map<string, string> {
  const fields = new Map<string, string>();
  for (const at of story.lanes[lane]!.steps) {
    if (at > position) break;
    for (const change of story.steps[at]!.changes) apply(fields, change);
  }
  return fields;
}

function apply(fields: Map<string, string>, { field, after }: Change): void {
  if (after === undefined) fields.delete(field);
  else fields.set(field, after);
}

/** The state of an actor after a step, if it has states. */
export function stateAfter(story: Story, lane: number, position: number): string | undefined {
  let state: string | undefined;
  for (const at of story.lanes[lane]!.steps) {
    if (at > position) break;
    const step = story.steps[at]!;
    state = step.after ?? step.state ?? state;
  }
  return state;
}
