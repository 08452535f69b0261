// A story as the page shows it. `document.ts` reads it from the JSON, and everything else trusts it:
// lanes, steps, messages, monitors and timers are named by their positions, which are in range, and
// every text is a text.

/** One execution of a test, step by step. */
export interface Story {
  test: string;
  /** How it was found: strategy, iteration, seed. */
  origin: string;
  finding?: Finding | undefined;
  /** Who takes steps: the first is the test body. */
  lanes: Lane[];
  /** Where lanes are drawn, from left to right. */
  columns: Column[];
  monitors: Monitor[];
  steps: Step[];
  messages: Message[];
  timers: Timer[];
  /** The steps that a fair schedule can repeat for ever: the first and the last. */
  cycle?: { from: number; to: number } | undefined;
  /** The numbers of the first and the last step that are not shown. */
  leftOut?: { from: number; to: number } | undefined;
  /** The actors that a failed predicate looked at. */
  inspected: Seen[];
  /** The value of the monitor that has failed. */
  remembered: string | undefined;
  cause: Cause;
  /** The nearest execution without the bug, where it is told as a whole. */
  passing?: Story | undefined;
}

export interface Finding {
  /** The word that a report begins with. */
  word: string;
  message: string;
  place?: string | undefined;
  /** The step in which it shows. */
  step: number;
}

/** An actor, the test body or a piped future. */
export interface Lane {
  name: string;
  /** Names it whatever the schedule. */
  path: string;
  kind: string;
  /** The type of an actor. */
  type?: string | undefined;
  /** Its changes are known. */
  prints: boolean;
  /** The steps in which it is created and ends. */
  begins: number;
  ends?: number | undefined;
  /** The steps that it takes. */
  steps: number[];
  column: number;
}

/** The lanes of one actor in all incarnations of its node, or a single lane. */
export interface Column {
  /** The name of the first lane, and what of it is not the node's. */
  name: string;
  label: string;
  node?: string | undefined;
  lanes: number[];
  /** The steps of all its lanes, in order. */
  steps: number[];
  /** Plumbing in which nothing goes wrong. */
  isQuiet: boolean;
}

export type Temperature = "hot" | "warm" | "cold";

/** A monitor or a predicate. */
export interface Monitor {
  name: string;
  kind: string;
  /** Its states, one after the other. */
  stays: Stay[];
  /** The steps in which they begin; -1 for the first, which begins before all steps. */
  starts: number[];
}

/** That a monitor is in a state. */
export interface Stay {
  state: string;
  temperature: Temperature;
}

/** An event, or a reply, on its way. */
export interface Message {
  /** Names it whatever the schedule. */
  id: string;
  event: string;
  /** `undefined` where a timer fired it. */
  from?: number | undefined;
  isNotice: boolean;
  isReply: boolean;
  to: number;
  sent?: number | undefined;
  handled?: number | undefined;
  fate: Fate;
}

export type Fate = "handled" | "ignored" | "deferred" | "dropped" | "unread";

export interface Timer {
  owner: number;
  purpose: string;
  event?: string | undefined;
  delayNs: number;
  periodic: boolean;
  armed?: number | undefined;
}

export interface Seen {
  who: number;
  state?: string | undefined;
  value?: string | undefined;
}

export interface Step {
  number: number;
  timeNs: number;
  lane: number;
  kind: string;
  /** The name of the event that it is about. */
  event?: string | undefined;
  state?: string | undefined;
  after?: string | undefined;
  /** What it handles, or ignores. */
  message?: number | undefined;
  ignored: boolean;
  /** The reply that it goes on with. */
  answer?: number | undefined;
  timer?: number | undefined;
  effects: Effect[];
  changes: Change[];
  moves: Move[];
}

/** A field of the actor before and after; `undefined` where there is no such field. */
export interface Change {
  field: string;
  before?: string | undefined;
  after?: string | undefined;
}

export interface Move {
  monitor: number;
  before: string;
  after: string;
  temperature: Temperature;
  heat?: number | undefined;
}

/** What was done to a disk. */
export interface DiskAction {
  call: string;
  path: string;
  to?: string | undefined;
  at?: number | undefined;
  bytes?: number | undefined;
}

export type Effect =
  | { effect: "sent"; message: number; arrival: string; replaced?: number | undefined }
  | { effect: "spawned"; who: number }
  | {
      effect: "name_used";
      how: string;
      name: string;
      holder?: number | undefined;
      error?: string | undefined;
    }
  | {
      effect: "replied";
      to: number;
      asked?: number | undefined;
      reply?: string | undefined;
      lost?: string | undefined;
    }
  | { effect: "asked_for_room"; of: number; answer: string }
  | { effect: "announced"; event: string }
  | { effect: "chose"; asked: string; of?: number | undefined; answer: number }
  | { effect: "fault"; fault: string; node?: string | undefined; links: [string, string][] }
  | { effect: "lost_on_link"; message?: number | undefined }
  | { effect: "reply_arrived"; to: number }
  | ({ effect: "disk"; error?: string | undefined } & DiskAction)
  | { effect: "power_failed" }
  | ({ effect: "lost"; parts: number[] } & DiskAction)
  | { effect: "accessed"; what: string; object: string; place: string }
  | { effect: "received"; message: number }
  | { effect: "woke"; whom: number[] }
  | { effect: "over" }
  | { effect: "call_failed"; call: string; isMade: boolean }
  | { effect: "crowded"; of: number }
  | { effect: "awaits" }
  | { effect: "armed"; timer: number }
  | { effect: "cancelled"; timer: number }
  | { effect: "reentered" }
  | { effect: "logged"; level: string; target: string; text: string }
  | { effect: "failed"; who: number; panicked: boolean; message: string }
  | { effect: "stopped"; who: number; atOnce: boolean }
  | { effect: "linked"; who: number }
  | { effect: "fell"; who: number }
  | { effect: "revived"; who: number }
  | { effect: "given_up"; who: number; limit: string }
  | { effect: "halted"; who: number; reason: string; unread: number }
  | { effect: "ended"; how: string }
  | { effect: "other"; what: string };

/** What was found out about the cause. */
export interface Cause {
  /** Where it was decided, in words, and the step, where one step alone decides. */
  decided?: { step?: number | undefined; isCritical: boolean; text: string } | undefined;
  /** How often the bug came back, continued at random from after some steps. */
  curve: Share[];
  races: Race[];
  nearest?: Nearest | undefined;
  /** There was more to find out than was paid for. */
  cutShort: boolean;
}

/** What became of continuations from after a step. */
export interface Share {
  /** Nothing for those from before the first step. */
  after?: number | undefined;
  number: number;
  failed: number;
  escaped: number;
  of: number;
}

/** Two events that reach one inbox: the other way round there is no bug. */
export interface Race {
  /** The steps in which they reach it. */
  first: number;
  second: number;
  text: string;
  evidence: string;
}

/** The execution that does the same for longest, and has no bug. */
export interface Nearest {
  /** The last step that is the same, if it is told, and which it is. */
  shared?: number | undefined;
  sharedSteps: number;
  /** What it does next; nothing where it has ended. */
  instead?: Did | undefined;
  /** The first steps that only this one takes. */
  then: Did[];
  steps: number;
}

/** A step, told in a line. */
export interface Did {
  number: number;
  actor: string;
  what: string;
}
