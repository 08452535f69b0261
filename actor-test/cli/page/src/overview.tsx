// The whole story in a narrow strip beside the timeline: where the bug is, what a search has found,
// and which part is in sight.

import type { Rows } from "./rows";
import type { Story } from "./story";

export type Kind = "selected" | "found" | "apart" | "race" | "critical" | "bug";
export type Marks = Record<Kind, number[]>;

const WIDTH = 16;
/** From the one that may be covered to the one that may not. */
const ORDER: Kind[] = ["apart", "found", "race", "critical", "bug", "selected"];

export function Overview(props: {
  story: Story;
  rows: Rows;
  marks: Marks;
  height: number;
  /** The first row in sight, and how many there are. */
  from: number;
  many: number;
  onJump(row: number): void;
}) {
  const { rows, marks, height, from, many, onJump } = props;
  const all = rows.list.length;
  // Its place stays: the width of the timeline decides how high the head is, and that how many rows are in sight.
  if (all <= many) return <svg width={WIDTH} aria-hidden="true" />;
  const y = (row: number): number => Math.floor((row / all) * height);
  const jump = (event: PointerEvent): void => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    onJump(((event.clientY - box.top) / height) * all);
  };
  return (
    <svg
      class="overview"
      width={WIDTH}
      height={height}
      aria-hidden="true"
      onPointerDown={jump}
      onPointerMove={(event) => (event.buttons === 1 ? jump(event) : undefined)}
    >
      {ORDER.map((kind) => {
        const lines = new Set(marks[kind].map((step) => y(rows.of[step]!)));
        return <path key={kind} class={kind} d={[...lines].map((at) => `M0 ${at + 1}H${WIDTH}`).join("")} />;
      })}
      <rect class="sight" x={0.5} y={y(from) + 0.5} width={WIDTH - 1} height={Math.max(6, y(many))} />
    </svg>
  );
}
