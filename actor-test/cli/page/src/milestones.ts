// The few steps that tell the story: what is owed, what goes wrong, the races, what decides, the bug.

import type { Effect, Step, Story } from "./story";

/** A step that matters, and as what. */
export interface Milestone {
  step: number;
  /** What it is: a word, and the look of that. */
  word: string;
  look: string;
}

/** How many faults are told. */
const FAULTS_MAX = 6;

/** In the order of the story; a step that is two things stands there twice. */
export function milestones(story: Story): Milestone[] {
  const { finding, cause } = story;
  const found: Milestone[] = [];
  const add = (step: number | undefined, word: string, look: string): void => {
    const isThere = found.some((other) => other.step === step && other.word === word);
    if (step !== undefined && !isThere) found.push({ step, word, look });
  };
  if (finding) {
    for (const since of owed(story)) add(since, "owed", "owed");
    const faults = story.steps.flatMap((step, at) => (isFault(step) ? [at] : []));
    for (const at of faults.slice(0, FAULTS_MAX)) add(at, "fault", "bug");
  }
  for (const { first, second } of cause.races) {
    add(first, "race", "race");
    add(second, "race", "race");
  }
  if (cause.decided) add(cause.decided.step, cause.decided.isCritical ? "critical" : "decided", "critical");
  if (finding) add(finding.step, finding.word, "bug");
  return found.sort((one, other) => one.step - other.step);
}

/** Since when the monitors are hot that the bug is about, where they are hot in the end. */
function owed({ finding, monitors }: Story): number[] {
  return monitors.flatMap(({ name, stays, starts }) => {
    if (!finding?.message.includes(name)) return [];
    let last = stays.length;
    while (last > 0 && stays[last - 1]!.temperature === "hot") last--;
    const start = starts[last];
    return start !== undefined && start >= 0 ? [start] : [];
  });
}

/** Something goes wrong that is no mistake of the program; that it is undone is no such thing. */
function isFault(step: Step): boolean {
  const goesWrong = (effect: Effect): boolean => {
    switch (effect.effect) {
      case "fault":
        return !["heal", "release", "spare"].includes(effect.fault);
      case "power_failed":
      case "call_failed":
      case "crowded":
        return true;
      default:
        return false;
    }
  };
  return step.effects.some(goesWrong);
}

/** What has not been read yet, and who has done nothing yet, where something is owed in the end. */
export function left(story: Story): {
  unread: { event: string; to: number; sent: number }[];
  idle: { lane: number; begins: number }[];
} {
  if (!story.finding || owed(story).length === 0) return { unread: [], idle: [] };
  const unread = story.messages.flatMap(({ event, to, sent, fate, isNotice }) =>
    fate === "unread" && sent !== undefined && !isNotice ? [{ event, to, sent }] : [],
  );
  const idle = story.lanes.flatMap(({ kind, steps, begins, ends }, lane) =>
    kind === "actor" && steps.length === 0 && ends === undefined ? [{ lane, begins }] : [],
  );
  return { unread, idle };
}
