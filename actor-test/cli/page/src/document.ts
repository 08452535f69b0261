// Reads the document of a story, as `cargo actor-test show TRACE --format json` prints it. Fields that
// are not known are skipped, as a newer version may have more of them.

import { indexOf } from "./causality";
import { cause } from "./causes";
import { columns } from "./columns";
import type {
  Change,
  DiskAction,
  Effect,
  Fate,
  Finding,
  Lane,
  Message,
  Monitor,
  Move,
  Seen,
  Step,
  Story,
  Timer,
} from "./story";
import { DocumentError, Node, type At } from "./node";
import { eventName, eventOf } from "./words";

const FORMAT = "actor-test story";
const VERSION = 1;

/** The story in a JSON text; throws a `DocumentError` where there is none. */
export function read(json: string): Story {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new DocumentError(`the document is no JSON: ${String(error)}`);
  }
  return story(new Node(value, ""));
}

function story(node: Node): Story {
  if (node.maybeText("format") !== FORMAT) throw node.wrong(`has no "format": "${FORMAT}"`);
  const version = node.number("version");
  if (version !== VERSION) {
    throw node.field("version").wrong(`is ${version}, and this page reads version ${VERSION}`);
  }
  const test = node.text("test");
  const { story, at } = execution(node, test);
  story.finding = finding(node, at, story.steps.length - 1);
  story.origin = origin(node);
  story.cycle = cycle(node.field("cycle"), at);
  story.cause = cause(node, at);
  columns(story);
  const causes = node.field("causes");
  const nearest = causes.isThere ? causes.field("nearest") : causes;
  const passing = nearest.isThere ? nearest.field("story") : nearest;
  if (passing.isThere) {
    story.passing = execution(passing, test).story;
    columns(story.passing);
  }
  return story;
}

/** One execution, whether it fails or not. */
function execution(node: Node, test: string): { story: Story; at: At } {
  const lanes = node.list("operations", lane);
  const numbers = node.list("steps", (step) => step.number("number"));
  numbers.forEach((number, at) => {
    if (at > 0 && number <= numbers[at - 1]!) {
      throw new DocumentError(`steps[${at}].number is ${number}, after ${numbers[at - 1]}`);
    }
  });
  if (lanes.length === 0) throw node.field("operations").wrong("is empty: nobody takes part");
  if (numbers.length === 0) throw node.field("steps").wrong("is empty: nothing happens");
  const many = {
    lanes: lanes.length,
    monitors: count(node, "monitors"),
    messages: count(node, "messages"),
    timers: count(node, "timers"),
  };
  const last = numbers.length - 1;
  const at = (number: number | undefined): number | undefined =>
    number === undefined || number > numbers[last]! ? undefined : indexOf(numbers, number);
  const steps = node.list("steps", (entry) => step(entry, many));
  const story: Story = {
    test,
    origin: "",
    lanes,
    columns: [],
    monitors: monitors(node, steps),
    steps,
    messages: node.list("messages", (entry) => message(entry, many.lanes, at)),
    timers: node.list("timers", (entry) => timer(entry, many.lanes, at)),
    leftOut: leftOut(node.field("left_out")),
    inspected: node.list("looked_at", (entry) => seen(entry, many.lanes)),
    remembered: node.maybeText("remembered"),
    cause: { curve: [], races: [], cutShort: false },
  };
  follow(story);
  return { story, at };
}

interface Many {
  lanes: number;
  monitors: number;
  messages: number;
  timers: number;
}



function count(node: Node, name: string): number {
  return node.list(name, () => undefined).length;
}

function origin(node: Node): string {
  const seed = node.field("seed").isThere ? `seed ${node.number("seed")}` : undefined;
  const iteration = node.maybeNumber("iteration");
  const parts = [node.maybeText("strategy"), iteration && `iteration ${iteration}`, seed];
  return parts.filter(Boolean).join(", ");
}

function finding(node: Node, at: At, last: number): Finding | undefined {
  const found = node.field("finding");
  if (!found.isThere) return undefined;
  return {
    word: (found.maybeText("word") ?? found.text("kind")).replaceAll("-", " "),
    message: found.text("message"),
    place: found.maybeText("location"),
    step: at(found.number("step")) ?? last,
  };
}

function lane(node: Node): Lane {
  return {
    name: node.text("name"),
    path: node.maybeText("path") ?? node.text("name"),
    kind: node.text("kind"),
    type: node.maybeText("type"),
    prints: node.flag("prints"),
    begins: 0,
    steps: [],
    column: 0,
  };
}

function message(node: Node, lanes: number, at: At): Message {
  const handled = at(node.maybeNumber("handled"));
  return {
    id: node.maybeText("id") ?? "",
    event: node.text("event"),
    from: node.maybePosition("from", lanes),
    isNotice: node.flag("is_notice"),
    isReply: false,
    to: node.position("to", lanes),
    sent: at(node.maybeNumber("sent")),
    handled,
    fate: handled === undefined ? "unread" : "handled",
  };
}

function timer(node: Node, lanes: number, at: At): Timer {
  return {
    owner: node.position("owner", lanes),
    purpose: node.text("purpose"),
    event: node.maybeText("event"),
    delayNs: node.number("delay_ns"),
    periodic: node.flag("periodic"),
    armed: at(node.maybeNumber("armed")),
  };
}

function cycle(node: Node, at: At): Story["cycle"] {
  if (!node.isThere) return undefined;
  const [from, to] = [at(node.number("from") + 1), at(node.number("to"))];
  return from === undefined || to === undefined ? undefined : { from, to };
}

function leftOut(node: Node): Story["leftOut"] {
  if (!node.isThere) return undefined;
  return { from: node.number("from"), to: node.number("to") };
}

function seen(node: Node, lanes: number): Seen {
  return {
    who: node.position("who", lanes),
    state: node.maybeText("state"),
    value: node.maybeText("value"),
  };
}

function step(node: Node, many: Many): Step {
  return {
    number: node.number("number"),
    timeNs: node.number("time_ns"),
    lane: node.position("who", many.lanes),
    kind: node.text("kind"),
    state: node.maybeText("state_before"),
    after: node.maybeText("state_after"),
    message: node.maybePosition("message", many.messages),
    ignored: node.flag("ignored"),
    timer: node.maybePosition("timer", many.timers),
    effects: node.list("effects", (entry) => effect(entry, many)),
    changes: node.list("changes", change),
    moves: node.list("monitors", (entry) => move(entry, many.monitors)),
  };
}

function change(node: Node): Change {
  return {
    field: node.text("field"),
    before: node.maybeText("before"),
    after: node.maybeText("after"),
  };
}

function move(node: Node, monitors: number): Move {
  return {
    monitor: node.position("monitor", monitors),
    before: node.text("before"),
    after: node.text("after"),
    temperature: node.temperature("temperature"),
    heat: node.maybeNumber("heat"),
  };
}

function effect(node: Node, many: Many): Effect {
  const who = (): number => node.position("who", many.lanes);
  const kind = node.text("effect");
  switch (kind) {
    case "sent":
      return {
        effect: kind,
        message: node.position("message", many.messages),
        arrival: node.text("arrival"),
        replaced: node.maybePosition("replaced", many.messages),
      };
    case "replied":
      return {
        effect: kind,
        to: node.position("to", many.lanes),
        asked: node.maybePosition("asked", many.messages),
        reply: node.maybeText("reply"),
        lost: node.maybeText("lost"),
      };
    case "name_used":
      return {
        effect: kind,
        how: node.text("how"),
        name: node.text("name"),
        holder: node.maybePosition("holder", many.lanes),
        error: node.maybeText("error"),
      };
    case "asked_for_room":
      return { effect: kind, of: node.position("of", many.lanes), answer: node.text("answer") };
    case "announced":
      return { effect: kind, event: node.text("event") };
    case "chose":
      return {
        effect: kind,
        asked: node.text("asked"),
        of: node.maybeNumber("of"),
        answer: node.number("answer"),
      };
    case "fault":
      return {
        effect: kind,
        fault: node.text("fault"),
        node: node.maybeText("node"),
        links: node.list("links", (link) => link.asPair()),
      };
    case "lost_on_link":
      return { effect: kind, message: node.maybePosition("message", many.messages) };
    case "reply_arrived":
      return { effect: kind, to: node.position("to", many.lanes) };
    case "disk":
      return { effect: kind, ...diskAction(node), error: node.maybeText("error") };
    case "lost":
      return { effect: kind, ...diskAction(node), parts: node.list("parts", (part) => part.asNumber()) };
    case "accessed":
      return {
        effect: kind,
        what: node.text("what"),
        object: node.text("object"),
        place: node.text("place"),
      };
    case "received":
      return { effect: kind, message: node.position("message", many.messages) };
    case "woke":
      return { effect: kind, whom: node.list("whom", (who) => who.asPosition(many.lanes)) };
    case "power_failed":
    case "over":
      return { effect: kind };
    case "call_failed":
      return { effect: kind, call: node.text("call"), isMade: node.flag("is_made") };
    case "crowded":
      return { effect: kind, of: node.position("of", many.lanes) };
    case "awaits":
    case "reentered":
      return { effect: kind };
    case "armed":
    case "cancelled":
      return { effect: kind, timer: node.position("timer", many.timers) };
    case "logged":
      return {
        effect: kind,
        level: node.text("level"),
        target: node.text("target"),
        text: node.text("text"),
      };
    case "failed":
      return {
        effect: kind,
        who: who(),
        panicked: node.flag("panicked"),
        message: node.text("message"),
      };
    case "stopped":
      return { effect: kind, who: who(), atOnce: node.flag("at_once") };
    case "spawned":
    case "linked":
    case "fell":
    case "revived":
      return { effect: kind, who: who() };
    case "given_up":
      return { effect: kind, who: who(), limit: node.text("limit") };
    case "halted":
      return {
        effect: kind,
        who: who(),
        reason: node.text("reason"),
        unread: node.number("unread"),
      };
    case "ended":
      return { effect: kind, how: node.text("how") };
    default:
      return { effect: "other", what: kind };
  }
}

function diskAction(node: Node): DiskAction {
  return {
    call: node.text("call"),
    path: node.text("path"),
    to: node.maybeText("to"),
    at: node.maybeNumber("at"),
    bytes: node.maybeNumber("bytes"),
  };
}

function monitors(node: Node, steps: Step[]): Monitor[] {
  const found: Monitor[] = node.list("monitors", (entry) => ({
    name: entry.text("name"),
    kind: entry.text("kind"),
    stays: [{ state: entry.text("state"), temperature: entry.temperature("temperature") }],
    starts: [-1],
  }));
  steps.forEach(({ moves }, from) => {
    for (const { monitor, after: state, temperature } of moves) {
      found[monitor]!.stays.push({ state, temperature });
      found[monitor]!.starts.push(from);
    }
  });
  return found;
}

/** Fills in what follows from the steps: who begins and ends where, and what became of messages. */
function follow(story: Story): void {
  const { steps, lanes, messages } = story;
  /** For each lane, the replies that it has not gone on with. */
  const replies = new Map<number, number>();
  steps.forEach((step, at) => {
    lanes[step.lane]!.steps.push(at);
    const event = eventOf(story, step);
    step.event = event === undefined ? undefined : eventName(event);
    if (step.message !== undefined && step.ignored) messages[step.message]!.fate = "ignored";
    const reply = replies.get(step.lane);
    if (step.kind === "resume" && reply !== undefined) {
      step.answer = reply;
      messages[reply]!.handled = at;
      messages[reply]!.fate = "handled";
      replies.delete(step.lane);
    }
    for (const effect of step.effects) {
      switch (effect.effect) {
        case "spawned":
          lanes[effect.who]!.begins = at;
          break;
        case "halted":
          lanes[effect.who]!.ends = at;
          break;
        case "sent":
          arrive(messages[effect.message]!, fateOf(effect.arrival));
          if (effect.replaced !== undefined) arrive(messages[effect.replaced]!, "dropped");
          break;
        case "replied":
          replies.set(effect.to, messages.length);
          messages.push(replyOf(effect, step.lane, at));
          break;
      }
    }
  });
  // What is sent is handled later; nothing else can be drawn.
  for (const message of messages) {
    const { sent, handled } = message;
    if (sent !== undefined && handled !== undefined && handled < sent) message.sent = undefined;
  }
}

function replyOf(effect: Extract<Effect, { effect: "replied" }>, from: number, sent: number): Message {
  return {
    id: "",
    event: effect.reply ?? effect.lost ?? "no reply",
    from,
    isNotice: false,
    isReply: true,
    to: effect.to,
    sent,
    fate: effect.reply === undefined ? "dropped" : "unread",
  };
}

function fateOf(arrival: string): Fate | undefined {
  if (["dead", "unclaimed", "refused", "link_full"].includes(arrival)) return "dropped";
  return arrival === "deferred" ? "deferred" : undefined;
}

/** A message that was handled after all was put off at most. */
function arrive(message: Message, fate: Fate | undefined): void {
  if (fate && message.fate === "unread") message.fate = fate;
}
