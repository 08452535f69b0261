// What was found out about the cause, in words.

import type { At, Node } from "./node";
import type { Cause, Did, Nearest, Race, Share } from "./story";
import { count, short } from "./values";
import { eventName } from "./words";

export function cause(story: Node, at: At): Cause {
  const node = story.field("causes");
  const critical = story.maybeNumber("critical");
  if (!node.isThere) {
    const decided = critical === undefined ? undefined : decidedAt(critical, at);
    return { decided, curve: [], races: [], cutShort: false };
  }
  return {
    decided: decided(node.field("decided"), at),
    curve: node.list("curve", (entry) => share(entry, at)),
    races: node.field("races").isThere
      ? node.field("races").list("needed", (entry) => race(entry, at)).flat()
      : [],
    nearest: node.field("nearest").isThere ? nearest(node.field("nearest"), at) : undefined,
    cutShort: node.flag("cut_short"),
  };
}

function decidedAt(step: number, at: At): Cause["decided"] {
  return { step: at(step), isCritical: true, text: "After this step the bug can't be avoided any more." };
}

/** Where it was decided: what was seen of executions that were run otherwise, and no more. */
function decided(node: Node, at: At): Cause["decided"] {
  if (!node.isThere) return undefined;
  const of = (name: string): Share => share(node.field(name), at);
  const decisive = (text: string): Cause["decided"] => ({
    step: at(node.field("at").number("step")),
    isCritical: true,
    text,
  });
  switch (node.text("is")) {
    case "critical": {
      const [before, after] = [of("before"), of("after")];
      const missed = (node.fraction("missed") * 100).toFixed(1);
      return decisive(
        `Of fair continuations of ${count(node.number("horizon"), "step")}, ${before.escaped} of ${before.of} recover from before this step, and none of ${after.of} from after it; a chance of ${missed} % or more to recover would have shown in 95 of 100 cases.`,
      );
    }
    case "mostly": {
      const [before, after] = [of("before"), of("after")];
      return decisive(
        `Of random continuations, ${before.failed} of ${before.of} fail in this way from before this step, and ${after.failed} of ${after.of} from after it.`,
      );
    }
    case "between": {
      const [before, after] = [of("before"), of("after")];
      return {
        step: after.after,
        isCritical: false,
        text: `Between steps ${before.number} and ${after.number}: of random continuations, ${before.failed} of ${before.of} fail in this way from the former, and ${after.failed} of ${after.of} from the latter.`,
      };
    }
    case "by_the_last_step": {
      const { failed, of: all } = of("before");
      return decisive(`By this last step: of random continuations from before it, ${failed} of ${all} fail in this way.`);
    }
    case "fading": {
      const [last, after] = [of("last"), of("after")];
      return {
        step: last.after,
        isCritical: false,
        text: `At no step alone: of fair continuations of ${count(node.number("horizon"), "step")}, ${last.escaped} of ${last.of} recover from step ${last.number}, and ${after.escaped} of ${after.of} from the step after it.`,
      };
    }
    case "still_recoverable":
      return {
        isCritical: false,
        text: `At no step, it is still recoverable: a fair continuation from the last step recovered after ${count(node.number("after"), "step")}.`,
      };
    case "mostly_from_the_start": {
      const { failed, of: all } = of("share");
      return {
        isCritical: false,
        text: `More likely than not from the start: ${failed} of ${all} random executions fail in this way.`,
      };
    }
    case "from_the_start": {
      const { failed, of: all } = of("share");
      return {
        isCritical: false,
        text: `From the start: ${failed} of ${all} executions fail in this way; does the program ever work, and is it the right thing that is asked for?`,
      };
    }
    default:
      return undefined;
  }
}

function share(node: Node, at: At): Share {
  const number = node.number("step");
  return {
    after: number === 0 ? undefined : at(number),
    number,
    failed: node.number("failed"),
    escaped: node.number("escaped"),
    of: node.number("of"),
  };
}

function race(node: Node, at: At): Race[] {
  const [early, late] = [node.field("first"), node.field("second")];
  const [first, second] = [at(early.number("step")), at(late.number("step"))];
  if (first === undefined || second === undefined) return [];
  const names = [early, late].map((arrival) => eventName(arrival.text("event")));
  const event = (arrival: Node): string =>
    names[0] === names[1] ? short(arrival.text("event"), 60) : eventName(arrival.text("event"));
  const sender = (arrival: Node): string => arrival.text("from").replace(/^timer$/, "a timer");
  const text = `It needs ${event(early)} from ${sender(early)} before ${event(late)} from ${sender(late)} at ${node.text("at")}.`;
  const soon = node.field("within").isThere ? ` within ${node.number("within")} steps` : "";
  const evidence = `The other way round none of ${node.number("reversed")} executions fails in this way${soon}, and as it was ${node.number("kept_failed")} of ${node.number("kept")}.`;
  return [{ first, second, text, evidence }];
}

function nearest(node: Node, at: At): Nearest {
  const instead = node.field("instead");
  return {
    shared: at(node.number("shared")),
    sharedSteps: node.number("shared"),
    instead: instead.isThere ? did(instead) : undefined,
    then: node.list("then", did),
    steps: node.number("steps"),
  };
}

function did(step: Node): Did {
  return { number: step.number("step"), actor: step.text("actor"), what: step.text("what") };
}
