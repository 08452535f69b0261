// The drawing beside the rows in sight: lanes, marks, arrows, and how hot monitors are.

import type { Arrows } from "./arrows";
import { indexOf } from "./causality";
import { ROW, type Geometry } from "./geometry";
import { isEndOrStart } from "./milestones";
import type { Rows } from "./rows";
import type { Message, Monitor, Step, Story } from "./story";

/** How many steps after its handler a send is looked for. */
const AHEAD = 200;

export interface Drawn {
  story: Story;
  rows: Rows;
  arrows: Arrows;
  geometry: Geometry;
  first: number;
  last: number;
  /** The steps of the chain that leads to the selected one. */
  chain: ReadonlySet<number>;
  selected: number;
  races: ReadonlySet<number>;
}

export function Lanes(drawn: Drawn) {
  const { geometry, first, last } = drawn;
  const height = (last - first + 1) * ROW;
  return (
    <svg class="lanes" width={geometry.textAt} height={height} aria-hidden="true">
      {geometry.strips.map(({ monitor, x }) => (
        <Strip key={`strip ${monitor}`} {...drawn} monitor={monitor} x={x} />
      ))}
      {[...geometry.x.keys()].map((lane) => (
        <Line key={`lane ${lane}`} {...drawn} lane={lane} />
      ))}
      <g>{nodeMarks(drawn)}</g>
      <g>{messages(drawn)}</g>
      <g>{marks(drawn)}</g>
    </svg>
  );
}

/** The middle of a row. */
function y(drawn: Drawn, row: number): number {
  return (row - drawn.first + 0.5) * ROW;
}

/** The life of an actor. */
function Line(props: Drawn & { lane: number }) {
  const { story, rows, geometry, lane, first, last } = props;
  const { begins, ends, column } = story.lanes[lane]!;
  const from = Math.max(rows.of[begins]!, first - 1);
  const to = Math.min(ends === undefined ? Number.MAX_SAFE_INTEGER : rows.of[ends]!, last + 1);
  if (from > to) return null;
  const x = geometry.x.get(lane)!;
  return <line class={`lane hue${column % 8}`} x1={x} x2={x} y1={y(props, from)} y2={y(props, to)} />;
}

/** A monitor's temperature beside each row. */
function Strip(props: Drawn & { monitor: number; x: number }) {
  const { story, rows, geometry, first, last, monitor, x } = props;
  const track = story.monitors[monitor]!;
  const pieces = [];
  for (let row = first; row <= last; row++) {
    const at = rows.list[row]!;
    const position = "step" in at ? at.step : at.to;
    const stay = stayAt(track, position);
    const { temperature } = track.stays[stay]!;
    const from = track.starts[stay]!;
    const isNew = from === position || row === first;
    pieces.push(
      <rect
        key={row}
        class={`heat ${temperature}${heatOf(position - from)}`}
        x={x}
        y={(row - first) * ROW + (isNew && row !== first ? 3 : 0)}
        width={geometry.stripWidth}
        height={ROW - (isNew && row !== first ? 3 : 0)}
      />,
    );
  }
  return <g>{pieces}</g>;
}

/** The hotter, the stronger: after 1, 10 and 100 steps. */
function heatOf(steps: number): string {
  return steps < 10 ? "" : steps < 100 ? " longer" : " longest";
}

/** The state in which a monitor is after a step, by its position. */
export function stayAt(monitor: Monitor, position: number): number {
  return indexOf(monitor.starts, position + 1) - 1;
}

function messages(drawn: Drawn) {
  const { story, rows, arrows, geometry, first, last, chain, races } = drawn;
  const step = (row: number, end: "from" | "to"): number => {
    const at = rows.list[row]!;
    return "step" in at ? at.step : at[end];
  };
  // What is sent without a row is drawn from a row before it.
  const slack = rows.sends > 0 ? AHEAD : 0;
  return arrows.within(step(first, "from"), step(last, "to") + slack).map((number) => {
    const message = story.messages[number]!;
    const sent = rows.of[message.sent!]!;
    const end = rows.of[arrows.end(message)]!;
    const to = geometry.x.get(message.to);
    const from = geometry.x.get(message.from ?? message.to);
    if (to === undefined || from === undefined) return null;
    if (sent === end && !("step" in rows.list[sent]!)) return null;
    const isChain = chain.has(message.sent!) && message.handled !== undefined && chain.has(message.handled);
    const isRace = races.has(message.sent!);
    const classes = ["message", message.fate];
    if (message.isReply) classes.push("reply");
    if (isChain) classes.push("in-chain");
    if (isRace) classes.push("in-race");
    return <Arrow key={number} {...drawn} kind={classes.join(" ")} {...{ message, number, from, to, sent, end }} />;
  });
}

/** From the sender's step into the receiver's inbox, where it waits beside the lane, to the step that
 *  handles it. */
function Arrow(
  props: Drawn & {
    kind: string;
    message: Message;
    number: number;
    from: number;
    to: number;
    sent: number;
    end: number;
  },
) {
  const { geometry, arrows, kind, message, number, from, to, sent, end } = props;
  const side = from < to ? -1 : 1;
  const gap = Math.min(6, (geometry.laneWidth / 2 - 10) / 5);
  const wait = to + side * (9 + Math.max(2, gap) * (arrows.track[number]! + 0.5));
  const [top, bottom] = [y(props, sent), y(props, Math.min(end, props.last + 2))];
  const above = Math.max(top, -ROW);
  const isSeen = top > -ROW;
  if (message.fate === "dropped") {
    const x = to + side * 11;
    return (
      <g class={kind}>
        <path class="way" d={`M${from} ${top}H${x}`} />
        <path class="lost" d={`M${x - 4} ${top - 4}l8 8m0 -8l-8 8`} />
      </g>
    );
  }
  const tip = to + side * 7;
  const handled = message.handled !== undefined;
  return (
    <g class={kind}>
      {isSeen ? <path class="way" d={`M${from} ${top}H${wait}`} /> : null}
      <path class="wait" d={`M${wait} ${above}V${bottom}`} />
      {handled && end <= props.last + 1 ? (
        <>
          <path class="way" d={`M${wait} ${bottom}H${tip + side * 3}`} />
          <path class="tip" d={`M${tip} ${bottom}l${side * 6} -4v8z`} />
        </>
      ) : null}
      {handled || end > props.last + 1 ? null : <circle class="end" cx={wait} cy={bottom} r={2.5} />}
    </g>
  );
}

/** A line across the lanes of a node where it crashes or restarts. */
function nodeMarks(drawn: Drawn) {
  const { story, rows, geometry, first, last } = drawn;
  const found = [];
  for (let row = first; row <= last; row++) {
    const at = rows.list[row]!;
    if (!("step" in at)) continue;
    for (const { fault, left, right } of nodesOf(story.steps[at.step]!, geometry)) {
      const isCrash = fault === "crash";
      const path = `M${left} ${y(drawn, row)}H${right}`;
      found.push(<path key={`${row} ${left}`} class={`across ${isCrash ? "crash" : "restart"}`} d={path} />);
    }
  }
  return found;
}

/** The nodes that a step crashes or restarts, as far as any of their lanes is shown. */
function nodesOf(step: Step, { nodes }: Geometry) {
  return step.effects.flatMap((effect) => {
    if (effect.effect !== "fault" || effect.node === undefined || !isEndOrStart(effect.fault)) return [];
    const place = nodes.get(effect.node);
    return place ? [{ fault: effect.fault, ...place }] : [];
  });
}

/** What happens in the rows in sight, one mark each. */
function marks(drawn: Drawn) {
  const { story, rows, geometry, first, last, selected } = drawn;
  const found = [];
  for (let row = first; row <= last; row++) {
    const at = rows.list[row]!;
    if (!("step" in at)) continue;
    const step = story.steps[at.step]!;
    // A fault of a node stands at the beginning of the line across the node.
    const struck = step.kind === "fault" ? nodesOf(step, geometry)[0] : undefined;
    const x = struck?.left ?? geometry.x.get(step.lane);
    if (x === undefined) continue;
    const isBug = story.finding?.step === at.step;
    const place = `translate(${x} ${y(drawn, row)})`;
    found.push(
      <g key={at.step} class={`mark hue${story.lanes[step.lane]!.column % 8}`} transform={place}>
        {isBug ? <circle class="bug" r={11} /> : null}
        {at.step === selected ? <circle class="selected" r={10} /> : null}
        <Mark step={step} />
      </g>,
    );
    for (const effect of step.effects) {
      if (effect.effect !== "sent" || effect.arrival !== "deferred") continue;
      const to = geometry.x.get(story.messages[effect.message]!.to);
      if (to === undefined) continue;
      found.push(
        <path
          key={`deferred ${effect.message}`}
          class="deferred-mark"
          transform={`translate(${to} ${y(drawn, row)})`}
          d="M0 -5L5 0L0 5L-5 0Z"
        />,
      );
    }
  }
  return found;
}

/** The sign of a kind of step; the legend shows the same. */
export function Mark({ step }: { step: Pick<Step, "kind" | "ignored"> }) {
  switch (step.kind) {
    case "handle":
      return <circle class={step.ignored ? "hollow" : "solid"} r={6} />;
    case "start":
      return <path class="solid" d="M-5 -6L7 0L-5 6Z" />;
    case "resume":
      return <path class="half" d="M0 -6A6 6 0 0 1 0 6Z M0 -6A6 6 0 0 0 0 6" />;
    case "timer":
      return (
        <>
          <circle class="hollow" r={6.5} />
          <path class="hands" d="M0 -4V0H3" />
        </>
      );
    case "fault":
      return <path class="bolt" d="M2 -8L-5 1H0L-2 8L5 -2H0Z" />;
    case "stop":
      return <rect class="solid" x={-5} y={-5} width={10} height={10} />;
    default:
      return <circle class="small" r={3} />;
  }
}
