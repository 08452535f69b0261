// Where things stand in the timeline.

import type { Story } from "./story";

/** The height of a row. */
export const ROW = 26;
/** No browser lays out a longer element; a longer story is scrolled faster than its rows. */
const LENGTH_MAX = 8_000_000;

const NUMBER = 60;
const TIME = 74;
const LANE_MIN = 26;
const LANE_MAX = 112;
const STRIP = 18;
/** A name is written upright where its lane is narrower. */
const UPRIGHT = 78;

/** The height of the names of nodes. */
const NODES = 22;

export interface Geometry {
  /** Which columns are shown, in order, and where each of their lanes is. */
  columns: number[];
  x: Map<number, number>;
  /** The nodes of these columns, from the left edge of the first to the right edge of the last one. */
  nodes: Map<string, { left: number; right: number }>;
  laneWidth: number;
  timeAt: number | undefined;
  strips: { monitor: number; x: number }[];
  stripWidth: number;
  textAt: number;
  isUpright: boolean;
  headHeight: number;
}

export function geometry(story: Story, hidden: ReadonlySet<number>, width: number): Geometry {
  const columns = [...story.columns.keys()].filter((column) => !hidden.has(column));
  const timed = story.steps.at(-1)!.timeNs > 0;
  const left = NUMBER + (timed ? TIME : 0);
  const room = Math.floor((width * 0.4 - left) / Math.max(1, columns.length));
  const laneWidth = Math.min(LANE_MAX, Math.max(LANE_MIN, room));
  const x = new Map<number, number>();
  const nodes: Geometry["nodes"] = new Map();
  columns.forEach((column, at) => {
    const { node, lanes } = story.columns[column]!;
    const edge = left + at * laneWidth;
    for (const lane of lanes) x.set(lane, edge + laneWidth / 2);
    if (node !== undefined) nodes.set(node, { left: nodes.get(node)?.left ?? edge, right: edge + laneWidth });
  });
  const stripsAt = left + columns.length * laneWidth + 6;
  const strips = [...story.monitors.keys()].map((monitor, at) => ({
    monitor,
    x: stripsAt + at * STRIP,
  }));
  const isUpright = laneWidth < UPRIGHT;
  const upright = story.monitors.map(({ name }) => name);
  if (isUpright) upright.push(...columns.map((column) => story.columns[column]!.label));
  return {
    columns,
    x,
    nodes,
    laneWidth,
    timeAt: timed ? NUMBER : undefined,
    strips,
    stripWidth: STRIP - 6,
    textAt: stripsAt + strips.length * STRIP + 8,
    isUpright,
    headHeight: headHeight(upright) + (nodes.size > 0 ? NODES : 0),
  };
}

/** So high that the names fit which are written upright; the longest ones are cut. */
function headHeight(upright: string[]): number {
  const longest = upright.reduce((most, { length }) => Math.max(most, length), 0);
  return Math.min(116, Math.max(28, longest * 8.4 + 14));
}

/** A long list of rows, scrolled in an element that may be shorter than they are. */
export class Scroll {
  readonly length: number;
  private readonly scale: number;

  constructor(
    private readonly rows: number,
    private readonly height: number,
  ) {
    const whole = rows * ROW;
    this.length = Math.min(whole, LENGTH_MAX);
    const travel = this.length - height;
    this.scale = travel > 0 ? Math.max(1, (whole - height) / travel) : 1;
  }

  /** How far the rows are moved up where the element is scrolled to `top`. */
  offset(top: number): number {
    return top * this.scale;
  }

  /** Where to scroll to so that the rows are moved up by `offset`. */
  top(offset: number): number {
    return Math.min(Math.max(0, offset / this.scale), Math.max(0, this.length - this.height));
  }

  /** The rows to be drawn: those in sight, and a few more. */
  sight(top: number): { first: number; last: number } {
    const first = Math.floor(this.offset(top) / ROW);
    const many = Math.ceil(this.height / ROW);
    return { first: Math.max(0, first - 6), last: Math.min(this.rows - 1, first + many + 6) };
  }
}
