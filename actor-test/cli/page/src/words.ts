// A step as a sentence, in the words of `cargo actor-test show`.

import { called, taken } from "./disks";
import type { Effect, Message, Step, Story } from "./story";
import { count, time } from "./values";

/** A piece of a sentence: plain words, an event or somebody's name. */
export type Part = string | { event: string } | { lane: number };

/** The name of an event: `Vote` of `Vote { term: 3 }`. */
export function eventName(printed: string): string {
  return /^[^\s({[]+/.exec(printed)?.[0] ?? printed.slice(0, 40);
}

/** The event that a step is about, printed. */
export function eventOf(story: Story, step: Step): string | undefined {
  if (step.message !== undefined) return story.messages[step.message]!.event;
  for (const effect of step.effects) {
    if (effect.effect === "sent") return story.messages[effect.message]!.event;
  }
  return step.timer === undefined ? undefined : story.timers[step.timer]!.event;
}

/** What a step does, without its actor's name before it. */
export function sentence(story: Story, step: Step): Part[] {
  const parts: Part[] = deed(story, step);
  for (const effect of step.effects) {
    const more = effectParts(story, step, effect);
    if (parts.length > 0 && more.length > 0) parts.push(", ");
    parts.push(...more);
  }
  return parts.length > 0 ? parts : [step.kind];
}

/** What kind of step it is, and what it handles. */
function deed(story: Story, step: Step): Part[] {
  const message = step.message === undefined ? undefined : story.messages[step.message]!;
  const about: Part[] = message ? [" ", { event: message.event }, ...origin(message)] : [];
  switch (step.kind) {
    case "start":
      return ["starts"];
    case "handle":
      return [step.ignored ? "ignores" : "handles", ...about];
    case "resume":
      return ["resumes", ...about];
    case "timer": {
      const event = eventOf(story, step);
      return event === undefined ? ["timer fires"] : ["timer fires: ", { event }];
    }
    case "deliver":
      return ["delivers", ...about];
    case "access":
      return step.effects.length > 0 ? [] : ["goes on"];
    case "flush":
    case "fault":
      return [];
    default:
      return [step.kind, ...about];
  }
}

function origin({ from, isNotice }: Message): Part[] {
  if (isNotice) return [];
  return [" from ", from === undefined ? "timer" : { lane: from }];
}

/** An effect, as words; nothing where the sentence has it already. */
function effectParts(story: Story, step: Step, effect: Effect): Part[] {
  switch (effect.effect) {
    case "sent": {
      const fate = fated(story, effect);
      if (step.kind === "timer") return fate ? [fate] : [];
      const { event, to } = story.messages[effect.message]!;
      return ["sends ", { event }, " to ", { lane: to }, ...(fate ? [`, ${fate}`] : [])];
    }
    case "replied": {
      const { reply, lost } = effect;
      const what: Part[] = reply === undefined ? ["no reply"] : ["reply ", { event: reply }];
      const why: Part[] = reply === undefined && lost ? [`: ${lost}`] : [];
      return ["sends ", ...what, " to ", { lane: effect.to }, ...why];
    }
    case "spawned":
      return ["spawns ", { lane: effect.who }];
    case "name_used":
      return nameUsed(effect);
    case "asked_for_room":
      return room(effect);
    case "announced":
      return ["announces ", { event: effect.event }];
    case "chose":
      if (effect.asked === "woken" && step.effects.some((other) => other.effect === "woke")) return [];
      return [`chooses ${effect.asked === "bool" ? effect.answer === 1 : effect.answer}`];
    case "fault": {
      const what = effect.fault.replaceAll("_", " ");
      const links = effect.links.map(([from, to]) => `${from}->${to}`).join(", ");
      const where = effect.node !== undefined ? ` of ${effect.node}` : links && `: ${links}`;
      return [`FAULT: ${what}${where}`];
    }
    case "lost_on_link": {
      const lost = effect.message === undefined ? undefined : story.messages[effect.message];
      return [lost === undefined ? "a reply" : { event: lost.event }, " is lost on its link"];
    }
    case "reply_arrived":
      return ["the reply reaches ", { lane: effect.to }];
    case "disk":
      return [called(effect, effect.error)];
    case "power_failed":
      return ["the power fails"];
    case "lost":
      return [taken(effect, effect.parts)];
    case "accessed":
      return [`${effect.what} ${effect.object} at ${effect.place}`];
    case "received":
      return ["receives ", { event: story.messages[effect.message]!.event }];
    case "woke":
      return effect.whom.length === 0
        ? ["wakes nobody"]
        : effect.whom.flatMap((lane, at) => [at === 0 ? "wakes " : ", ", { lane }]);
    case "over":
      return ["is over"];
    case "call_failed":
      return [`FAULT: the call "${effect.call}" fails${effect.isMade ? ", after it was made" : ""}`];
    case "crowded":
      return ["FAULT: the mailbox of ", { lane: effect.of }, " takes nothing"];
    case "awaits":
      return ["awaits"];
    case "armed":
    case "cancelled":
      return timer(story, effect);
    case "reentered":
      return ["enters its state again"];
    case "logged":
      return [`logs ${effect.level} ${effect.text}`];
    case "failed":
      return ["fails: ", { lane: effect.who }, `${effect.panicked ? " panicked" : ""}: ${effect.message}`];
    case "stopped":
      return [effect.atOnce ? "kills " : "stops ", { lane: effect.who }];
    case "linked":
      return [{ lane: effect.who }, " is linked to it"];
    case "fell":
      return ["the value of ", { lane: effect.who }, " is dropped"];
    case "revived":
      return [{ lane: effect.who }, " is made anew"];
    case "given_up":
      return [effect.limit];
    case "halted": {
      const own = effect.who === step.lane;
      const left = effect.unread > 0 ? `, dead letters: ${count(effect.unread, "queued event")}` : "";
      return own ? [`halts${left}`] : [{ lane: effect.who }, ` halts${left}`];
    }
    case "ended":
      return [effect.how];
    case "other":
      return [effect.what.replaceAll("_", " ")];
  }
}

/** What became of a message that did not simply arrive. */
function fated(story: Story, effect: Extract<Effect, { effect: "sent" }>): string | undefined {
  switch (effect.arrival) {
    case "arrived":
      return undefined;
    case "dead":
      return "dead letter: the receiver has stopped";
    case "unclaimed":
      return "dead letter: nobody has the name";
    case "refused":
      return "refused, a dead letter: the mailbox is full";
    case "link_full":
      return "refused, a dead letter: the link is full";
    case "replaced": {
      const { replaced } = effect;
      const gone = replaced === undefined ? "the oldest event" : story.messages[replaced]!.event;
      return `${gone} makes room for it, a dead letter`;
    }
    default:
      return effect.arrival;
  }
}

function nameUsed({ how, name, holder, error }: Extract<Effect, { effect: "name_used" }>): Part[] {
  const found: Part = holder === undefined ? (error ?? "") : { lane: holder };
  switch (how) {
    case "registers":
      if (holder === undefined) return [`can't register the name \`${name}\`: `, found];
      return ["registers ", found, ` as \`${name}\``];
    case "unregisters":
      return [`unregisters the name \`${name}\``];
    default:
      return [`looks up \`${name}\`: `, found];
  }
}

function timer(story: Story, effect: Extract<Effect, { effect: "armed" | "cancelled" }>): Part[] {
  const { event, delayNs, periodic } = story.timers[effect.timer]!;
  const what: Part[] = event ? [" for ", { event }] : [];
  if (effect.effect === "cancelled") return ["cancels a timer", ...what];
  return ["sets a timer", ...what, `${periodic ? ", every " : ", in "}${time(delayNs)}`];
}

function room({ of, answer }: Extract<Effect, { effect: "asked_for_room" }>): Part[] {
  const mailbox: Part[] = ["the mailbox of ", { lane: of }];
  switch (answer) {
    case "granted":
      return ["there is room in ", ...mailbox];
    case "full":
      return ["refused: ", ...mailbox, " is full"];
    case "closed":
      return ["refused: ", { lane: of }, " has stopped"];
    case "waits":
      return ["waits for room in ", ...mailbox];
    case "link_full":
      return ["refused: the link to ", { lane: of }, " is full"];
    case "waits_for_link":
      return ["waits for room on the link to ", { lane: of }];
    default:
      return ["asks for room in ", ...mailbox];
  }
}

/** A sentence without its parts' looks. */
export function plain(story: Story, parts: Part[]): string {
  const word = (part: Part): string => {
    if (typeof part === "string") return part;
    return "event" in part ? part.event : story.lanes[part.lane]!.name;
  };
  return parts.map(word).join("");
}

/** Everything that a search looks through, of one step. */
export function searched(story: Story, step: Step): string {
  const fields = step.changes.map(
    ({ field, before, after }) => `${field} ${before ?? ""} ${after ?? ""}`,
  );
  const moves = step.moves.map(
    ({ monitor, after }) => `${story.monitors[monitor]!.name} ${after}`,
  );
  const states = [step.state, step.after];
  return [
    `${step.number} ${story.lanes[step.lane]!.name}`,
    plain(story, sentence(story, step)),
    ...states,
    ...fields,
    ...moves,
  ]
    .filter(Boolean)
    .join(" ")
    .toLowerCase();
}
