// What was found out about the cause, in words.

import type { At, Node } from "./node";
import type { Cause, Did, Nearest, Race, Share } from "./story";
import { count } from "./values";

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

function decided(node: Node, at: At): Cause["decided"] {
  if (!node.isThere) return undefined;
  const step = (): number | undefined => at(node.field("at").number("step"));
  const rate = (name: string): string => {
    const { escaped, of } = share(node.field(name), at);
    return `${escaped} of ${of}`;
  };
  switch (node.text("is")) {
    case "critical":
      return {
        step: step(),
        isCritical: true,
        text: `What is owed is lost with this step: of random continuations from before it ${rate("before")} recovered, of those from after it ${rate("after")}.`,
      };
    case "mostly":
      return {
        step: step(),
        isCritical: true,
        text: `With this step the bug becomes likely: of random continuations from before it ${rate("before")} escaped it, of those from after it ${rate("after")}.`,
      };
    case "by_the_last_step":
      return {
        step: step(),
        isCritical: true,
        text: `Until this step the bug was avoidable: of random continuations from before it ${rate("before")} escaped it.`,
      };
    case "fading": {
      const { number } = share(node.field("last"), at);
      return {
        step: at(number),
        isCritical: false,
        text: `The chance to recover fades away, and no step alone makes the difference: of random continuations from after this step ${rate("last")} recovered, of later ones none.`,
      };
    }
    case "still_recoverable":
      return {
        isCritical: false,
        text: `It is not too late even in the end: a continuation recovered after ${count(node.number("after"), "step")} more.`,
      };
    case "from_the_start":
      return {
        isCritical: false,
        text: `No schedule that was tried avoids it: of random continuations from the first step on ${rate("share")} escaped.`,
      };
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
  const event = (arrival: Node): string => `${arrival.text("event")} from ${arrival.text("from")}`;
  const text = `The bug needs ${event(early)} before ${event(late)} at ${node.text("at")}.`;
  const evidence = `The other way round, none of ${node.number("reversed")} executions failed; this way round, ${node.number("kept_failed")} of ${node.number("kept")} did.`;
  return [{ first, second, text, evidence }];
}

function nearest(node: Node, at: At): Nearest {
  const instead = node.field("instead");
  return {
    shared: at(node.number("shared")) ?? 0,
    instead: instead.isThere ? did(instead) : undefined,
    then: node.list("then", did),
    steps: node.number("steps"),
  };
}

function did(step: Node): Did {
  return { number: step.number("step"), actor: step.text("actor"), what: step.text("what") };
}
