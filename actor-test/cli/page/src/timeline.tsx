// The steps of a story, one a row, with lanes beside them. Only the rows in sight are drawn.

import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Arrows } from "./arrows";
import { ROW, Scroll, geometry } from "./geometry";
import { Lanes } from "./lanes";
import { Overview, type Marks } from "./overview";
import type { Rows } from "./rows";
import { Became, Name, Sentence } from "./sentence";
import type { Step, Story } from "./story";
import { count, short, time } from "./values";
import { sentence } from "./words";

/** How many changed fields stand in a row. */
const CHANGES_MAX = 3;

/** Where there is less room for words, a state's name before is left out. */
const TIGHT = 620;

export interface Props {
  story: Story;
  rows: Rows;
  arrows: Arrows;
  hiddenColumns: ReadonlySet<number>;
  selected: number;
  chain: ReadonlySet<number>;
  races: ReadonlySet<number>;
  /** The steps that a search has found. */
  found: ReadonlySet<number>;
  /** The steps that the other execution doesn't have. */
  apart?: ReadonlySet<number> | undefined;
  id: string;
  label: string;
  onSelect(step: number): void;
  onReveal(from: number, to: number): void;
  /** Another timeline that is scrolled together with this one. */
  twin?: RefObject<HTMLDivElement> | undefined;
  scroller: RefObject<HTMLDivElement>;
}

export function Timeline(props: Props) {
  const { story, rows, selected, scroller, twin } = props;
  const [view, setView] = useState({ top: 0, height: 600, width: 900 });
  const header = useRef<HTMLDivElement>(null!);
  const shape = useMemo(
    () => geometry(story, props.hiddenColumns, view.width),
    [story, props.hiddenColumns, view.width],
  );
  const scroll = useMemo(
    () => new Scroll(rows.list.length, view.height),
    [rows, view.height],
  );

  useLayoutEffect(() => {
    const element = scroller.current!;
    const measure = (): void => {
      const height = element.clientHeight - (header.current.offsetHeight);
      setView((old) => ({ ...old, height: Math.max(ROW, height), width: element.clientWidth }));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const element = scroller.current!;
    const at = rows.of[selected]! * ROW;
    const offset = scroll.offset(element.scrollTop);
    if (at < offset + ROW || at > offset + view.height - 2 * ROW) {
      element.scrollTop = scroll.top(at - view.height / 2);
    }
  }, [selected, rows, scroll]);

  const onScroll = (): void => {
    const { scrollTop: top } = scroller.current!;
    setView((old) => ({ ...old, top }));
    const other = twin?.current;
    if (other && Math.abs(other.scrollTop - top) > 1) other.scrollTop = top;
  };

  const { first, last } = scroll.sight(view.top);
  const isInSight = rows.of[selected]! >= first && rows.of[selected]! <= last;
  const start = view.top - scroll.offset(view.top) + first * ROW;
  const drawn = [];
  for (let row = first; row <= last; row++) {
    const at = rows.list[row]!;
    const place = { transform: `translateY(${start + (row - first) * ROW}px)`, paddingLeft: `${shape.textAt}px` };
    drawn.push(
      "step" in at ? (
        <Line key={at.step} {...props} position={at.step} row={row} place={place} timeAt={shape.timeAt} />
      ) : (
        <Gap key={`gap ${at.from}`} {...props} {...at} place={place} />
      ),
    );
  }
  return (
    <div class="timeline">
      <div class="scroller" ref={scroller} onScroll={onScroll}>
        <Head story={story} shape={shape} inner={header} />
        <div
          class={`rows${view.width - shape.textAt < TIGHT ? " tight" : ""}`}
          role="listbox"
          tabIndex={0}
          aria-label={props.label}
          aria-activedescendant={isInSight ? `${props.id}-${selected}` : undefined}
          style={{ height: `${Math.max(scroll.length, view.height)}px` }}
        >
          {drawn}
          <div class="drawing" style={{ transform: `translateY(${start}px)` }}>
            <Lanes
              {...{ story, rows, selected, first, last }}
              arrows={props.arrows}
              geometry={shape}
              chain={props.chain}
              races={props.races}
            />
          </div>
        </div>
      </div>
      <Overview
        story={story}
        rows={rows}
        marks={marks(props)}
        height={view.height}
        from={scroll.offset(view.top) / ROW}
        many={view.height / ROW}
        onJump={(row) => {
          scroller.current!.scrollTop = scroll.top(row * ROW - view.height / 2);
        }}
      />
    </div>
  );
}

function marks({ story, selected, found, races, apart }: Props): Marks {
  const critical = criticalOf(story);
  return {
    selected: [selected],
    found: [...found],
    apart: [...(apart ?? [])],
    race: [...races],
    critical: critical === undefined ? [] : [critical],
    bug: story.finding ? [story.finding.step] : [],
  };
}

/** The step that decides, if one does. */
function criticalOf({ cause }: Story): number | undefined {
  return cause.decided?.isCritical ? cause.decided.step : undefined;
}

function Head(props: {
  story: Story;
  shape: ReturnType<typeof geometry>;
  inner: RefObject<HTMLDivElement>;
}) {
  const { story, shape, inner } = props;
  return (
    <div class="head" ref={inner} style={{ height: `${shape.headHeight}px` }}>
      <span class="number">step</span>
      {shape.timeAt === undefined ? null : (
        <span class="time" style={{ left: `${shape.timeAt}px` }}>
          time
        </span>
      )}
      {[...shape.nodes].map(([node, { left, right }]) => (
        <span
          key={`node ${node}`}
          class="node-name"
          style={{ left: `${left + 2}px`, width: `${right - left - 4}px` }}
          title={`node ${node}`}
        >
          {node}
        </span>
      ))}
      {shape.columns.map((column) => {
        const { name, label, lanes } = story.columns[column]!;
        return (
          <span
            key={column}
            class={`lane-name hue${column % 8}${shape.isUpright ? " upright" : ""}`}
            style={{ left: `${shape.x.get(lanes[0]!)!}px`, maxWidth: shape.isUpright ? "" : `${shape.laneWidth}px` }}
            title={name}
          >
            {label}
          </span>
        );
      })}
      {shape.strips.map(({ monitor, x }) => (
        <span
          key={monitor}
          class="lane-name upright"
          style={{ left: `${x + shape.stripWidth / 2}px` }}
          title={`monitor ${story.monitors[monitor]!.name}`}
        >
          {story.monitors[monitor]!.name}
        </span>
      ))}
    </div>
  );
}

type Place = { transform: string; paddingLeft: string };

function Line(props: Props & { position: number; row: number; place: Place; timeAt: number | undefined }) {
  const { story, position, selected, chain, races, found, apart, place, timeAt } = props;
  const step = story.steps[position]!;
  const earlier = story.steps[position - 1];
  const isBug = story.finding?.step === position;
  const isCritical = criticalOf(story) === position;
  const classes = ["row", step.kind === "flush" ? "effect" : "acts"];
  if (position === selected) classes.push("is-selected");
  if (chain.has(position)) classes.push("in-chain");
  if (found.has(position)) classes.push("is-found");
  if (apart?.has(position)) classes.push("is-apart");
  if (isBug) classes.push("is-bug");
  return (
    <div
      id={`${props.id}-${position}`}
      class={classes.join(" ")}
      role="option"
      aria-selected={position === selected}
      aria-setsize={story.steps.length}
      aria-posinset={position + 1}
      style={place}
      onClick={() => props.onSelect(position)}
    >
      <span class="number">{step.number}</span>
      {timeAt !== undefined && earlier?.timeNs !== step.timeNs ? (
        <span class="time" style={{ left: `${timeAt}px` }}>
          {time(step.timeNs)}
        </span>
      ) : null}
      {isBug ? <span class="tag bug">bug</span> : null}
      {isCritical ? <span class="tag critical">critical</span> : null}
      {races.has(position) ? <span class="tag race">race</span> : null}
      <span class="action">
        <Name story={story} lane={step.lane} /> <Sentence story={story} parts={sentence(story, step)} />
      </span>
      <Effects story={story} step={step} />
    </div>
  );
}

/** What became of states: the actor's, its fields, the monitors. */
function Effects({ story, step }: { story: Story; step: Step }) {
  const more = step.changes.length - CHANGES_MAX;
  return (
    <>
      {step.after !== undefined && step.after !== step.state ? (
        <span class="pill state">
          <Became before={step.state} after={step.after} />
        </span>
      ) : null}
      {step.moves.map((move) => (
        <span class={`pill ${move.temperature}`}>
          {story.monitors[move.monitor]!.name}: {short(move.after, 40)}
        </span>
      ))}
      {step.changes.slice(0, CHANGES_MAX).map(({ field, before, after }) => (
        <span class="change">
          {field}{" "}
          <Became before={before && short(before, 24)} after={after && short(after, 40)} />
        </span>
      ))}
      {more > 0 ? <span class="change">and {more} more</span> : null}
    </>
  );
}

function Gap(props: Props & { from: number; to: number; place: Place }) {
  const { from, to, place, onReveal } = props;
  const many = to - from + 1;
  return (
    <div
      class="row gap"
      role="option"
      aria-selected={false}
      style={place}
      title="Show them"
      onClick={() => onReveal(from, to)}
    >
      {count(many, "step")} not shown
    </div>
  );
}
