// The columns of the drawing: one for each actor, and those of a node beside each other. An actor that
// a restarted node starts anew keeps its column.

import { isFault } from "./milestones";
import type { Column, Lane, Story } from "./story";

/** The end of the name of a node's boot code: `n1/boot`, and after the first restart `n1(2)/boot`. */
const BOOT = /^(.+)\/boot$/s;
const RESTARTED = /^(.+)\(\d+\)$/s;

/** Puts each lane into a column. */
export function columns(story: Story): void {
  const nodes = incarnations(story.lanes);
  const matters = importantLanes(story);
  const found = new Map<string, Column>();
  const many = new Map<string, number>();
  story.lanes.forEach((lane, at) => {
    const { prefix, node } = placeOf(lane.name, nodes);
    const label = lane.name.slice(prefix.length);
    const life = JSON.stringify([prefix, label]);
    // A name is drawn where the actor is that has it.
    const nth = lane.kind === "name" ? 1 : (many.get(life) ?? 0) + 1;
    if (lane.kind !== "name") many.set(life, nth);
    const key = node === undefined ? String(at) : JSON.stringify([node, label, nth]);
    const column = found.get(key) ?? { node, name: lane.name, label, lanes: [], steps: [], isQuiet: true };
    found.set(key, column);
    column.lanes.push(at);
    const plumbs = isPlumbing(lane);
    column.isQuiet &&= plumbs && !matters.has(at);
    // No step creates it that says so, and boot code has no end that says so.
    if (plumbs && lane.begins === 0) lane.begins = lane.steps[0] ?? lane.ends ?? story.steps.length - 1;
    if (lane.kind === "boot") lane.ends ??= lane.steps.at(-1);
  });
  story.columns = byNode([...found.values()]);
  story.columns.forEach((column, at) => {
    column.steps = column.lanes.flatMap((lane) => story.lanes[lane]!.steps).sort((a, b) => a - b);
    for (const lane of column.lanes) story.lanes[lane]!.column = at;
  });
}

/** The columns that are hidden until they are asked for. */
export function quietColumns({ columns }: Story): ReadonlySet<number> {
  return new Set([...columns.keys()].filter((column) => columns[column]!.isQuiet));
}

/** The node of each incarnation, by the name of the incarnation. */
function incarnations(lanes: Lane[]): Map<string, string> {
  const nodes = new Map<string, string>();
  for (const { kind, name } of lanes) {
    const incarnation = kind === "boot" ? BOOT.exec(name)?.[1] : undefined;
    if (incarnation === undefined) continue;
    const first = RESTARTED.exec(incarnation)?.[1];
    nodes.set(incarnation, first !== undefined && nodes.has(first) ? first : incarnation);
  }
  return nodes;
}

/** The part of a name that is its node's, which is the longest one where there are several. */
function placeOf(name: string, nodes: Map<string, string>): { prefix: string; node?: string | undefined } {
  for (let end = name.lastIndexOf("/"); end > 0; end = name.lastIndexOf("/", end - 1)) {
    const node = nodes.get(name.slice(0, end));
    if (node !== undefined) return { prefix: name.slice(0, end + 1), node };
  }
  return { prefix: "" };
}

/** Boot code, links and names: they matter where something goes wrong there. */
function isPlumbing({ kind }: Lane): boolean {
  return kind === "boot" || kind === "link" || kind === "name";
}

/** The lanes with a fault, a race, the step that decides, or the bug. */
function importantLanes({ steps, finding, cause }: Story): Set<number> {
  const named = [finding?.step, cause.decided?.step, ...cause.races.flatMap(({ first, second }) => [first, second])];
  const found = new Set(named.flatMap((at) => (at === undefined ? [] : [steps[at]!.lane])));
  for (const step of steps) {
    const isLost = step.effects.some(({ effect }) => effect === "lost_on_link" || effect === "failed");
    if (isFault(step) || isLost || step.moves.length > 0) found.add(step.lane);
  }
  return found;
}

/** In the order of creation, those of a node behind its first one. */
function byNode(columns: Column[]): Column[] {
  const first = new Map<string, number>();
  columns.forEach(({ node }, at) => {
    if (node !== undefined && !first.has(node)) first.set(node, at);
  });
  const place = columns.map((column, at) => ({
    column,
    group: column.node === undefined ? at : first.get(column.node)!,
  }));
  return place.sort((a, b) => a.group - b.group).map(({ column }) => column);
}
