// The few steps of the story that matter: pending obligations, what goes wrong, the races, what decides, the bug.

import type { Change, Effect, Step, Story } from "./story";

/** A fault in which all actors of a node end, or are started. */
export function isEndOrStart(fault: string): boolean {
  return ["crash", "restart", "restart_without_disk"].includes(fault);
}

/** A step that matters, and as what. */
export interface Milestone {
  step: number;
  /** What it is: a word, and the class of its tag. */
  word: string;
  kind: string;
}

/** The most faults that are shown. */
const FAULTS_MAX = 6;

/** In the order of the story; a step that is two things stands there twice. */
export function milestones(story: Story): Milestone[] {
  const { finding, cause } = story;
  const found: Milestone[] = [];
  const add = (step: number | undefined, word: string, kind: string): void => {
    const isThere = found.some((other) => other.step === step && other.word === word);
    if (step !== undefined && !isThere) found.push({ step, word, kind });
  };
  if (finding) {
    for (const since of pendingSince(story)) add(since, "pending", "pending");
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
function pendingSince({ finding, monitors }: Story): number[] {
  return monitors.flatMap(({ name, stays, starts }) => {
    if (!finding?.message.includes(name)) return [];
    let last = stays.length;
    while (last > 0 && stays[last - 1]!.temperature === "hot") last--;
    const start = starts[last];
    return start !== undefined && start >= 0 ? [start] : [];
  });
}

/** Something goes wrong that is no mistake of the program; that it is undone is no such thing. */
export function isFault(step: Step): boolean {
  const goesWrong = (effect: Effect): boolean => {
    switch (effect.effect) {
      case "fault":
        return !["heal", "release", "resume", "spare"].includes(effect.fault);
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

/** What a crash takes with it. */
export interface Loss {
  /** The step in which it happens. */
  step: number;
  /** What handlers had changed in actors that are gone, and who had heard of it: a step for each. */
  states: { lane: number; changes: Change[]; step: number; sent: number[] }[];
  /** What they had not read, the latest first. */
  unread: { event: string; to: number; sent: number }[];
}

/** What crashes have taken with them: an actor's state that others know of, and what is never read. */
export function losses(story: Story): Loss[] {
  if (!story.finding) return [];
  return story.steps.flatMap((step, at) => {
    if (!step.effects.some((effect) => effect.effect === "fault" && effect.fault === "crash")) return [];
    const gone = step.effects.flatMap((effect) => (effect.effect === "halted" ? [effect.who] : []));
    const states = gone.flatMap((lane) => lost(story, lane, at, gone));
    const unread = story.messages.flatMap(({ event, to, sent, handled, isNotice }) =>
      gone.includes(to) && sent !== undefined && sent < at && handled === undefined && !isNotice
        ? [{ event, to, sent }]
        : [],
    );
    return states.length + unread.length > 0 ? [{ step: at, states, unread: unread.reverse() }] : [];
  });
}

/** What events have changed in an actor, up to a step, and what it has sent to survivors since. */
function lost(story: Story, lane: number, until: number, gone: number[]): Loss["states"] {
  const changes = new Map<string, Change>();
  let last: number | undefined;
  let sent: number[] = [];
  for (const at of story.lanes[lane]!.steps) {
    if (at >= until) break;
    const step = story.steps[at]!;
    // How it has set itself up, it can do again.
    if (step.kind !== "start" && step.changes.length > 0) {
      for (const { field, before, after } of step.changes) {
        changes.set(field, { field, before: changes.has(field) ? changes.get(field)!.before : before, after });
      }
      [last, sent] = [at, []];
    }
    if (last !== undefined && step.effects.some((effect) => reaches(story, effect, gone))) sent.push(at);
  }
  const net = [...changes.values()].filter(({ before, after }) => before !== after);
  return last === undefined || net.length === 0 ? [] : [{ lane, changes: net, step: last, sent }];
}

/** A survivor gets an event. */
function reaches(story: Story, effect: Effect, gone: number[]): boolean {
  if (effect.effect === "replied") return effect.reply !== undefined && !gone.includes(effect.to);
  return effect.effect === "sent" && !gone.includes(story.messages[effect.message]!.to);
}

/** What has not been read yet, and who has done nothing yet, where an obligation is pending at the end. */
export function left(story: Story): {
  unread: { event: string; to: number; sent: number }[];
  idle: { lane: number; begins: number }[];
} {
  if (!story.finding || pendingSince(story).length === 0) return { unread: [], idle: [] };
  const unread = story.messages.flatMap(({ event, to, sent, fate, isNotice }) =>
    fate === "unread" && sent !== undefined && !isNotice ? [{ event, to, sent }] : [],
  );
  const idle = story.lanes.flatMap(({ kind, steps, begins, ends }, lane) =>
    kind === "actor" && steps.length === 0 && ends === undefined ? [{ lane, begins }] : [],
  );
  return { unread, idle };
}
