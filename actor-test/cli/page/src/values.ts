// Values as Rust's `Debug` prints them, laid out in lines, and what differs between two of them.

const OPENING = "({[";
const CLOSING = ")}]";
const INDENT = "  ";
/** A longer value is shown as it is: nobody reads its layout. */
const LAID_OUT_MAX = 20_000;
/** Deeper ones are not indented further. */
const DEPTH_MAX = 20;

/** A value in lines: what does not fit in `width` goes one field a line. */
export function layOut(text: string, width: number): string {
  if (text.length <= width || text.length > LAID_OUT_MAX) return text;
  const closes = matches(text);
  const lines: string[] = [];
  let out = "";
  let depth = 0;
  let inText = false;
  const newLine = (): void => {
    lines.push(out.trimEnd());
    out = INDENT.repeat(Math.min(depth, DEPTH_MAX));
  };
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!;
    if (inText) {
      out += letter;
      if (letter === "\\") out += text[++at] ?? "";
      else if (letter === '"') inText = false;
    } else if (letter === '"') {
      inText = true;
      out += letter;
    } else if (OPENING.includes(letter)) {
      const end = closes.get(at);
      if (end !== undefined && end - at < Math.max(12, width - depth * 2)) {
        out += text.slice(at, end + 1);
        at = end;
      } else {
        out += letter;
        depth++;
        newLine();
        at = pastBlanks(text, at);
      }
    } else if (CLOSING.includes(letter) && depth > 0) {
      depth--;
      newLine();
      out += letter;
    } else if (letter === "," && depth > 0) {
      out += letter;
      newLine();
      at = pastBlanks(text, at);
    } else {
      out += letter;
    }
  }
  return [...lines, out].join("\n");
}

function pastBlanks(text: string, at: number): number {
  while (text[at + 1] === " ") at++;
  return at;
}

/** Where each bracket that is open closes; brackets in texts don't count. */
function matches(text: string): Map<number, number> {
  const closes = new Map<number, number>();
  const open: number[] = [];
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!;
    if (inText) {
      if (letter === "\\") at++;
      else if (letter === '"') inText = false;
    } else if (letter === '"') {
      inText = true;
    } else if (OPENING.includes(letter)) {
      open.push(at);
    } else if (CLOSING.includes(letter)) {
      const from = open.pop();
      if (from !== undefined) closes.set(from, at);
    }
  }
  return closes;
}

/** Two texts as what they share at both ends, and what differs between. */
export function differs(before: string, after: string): {
  head: string;
  was: string;
  is: string;
  tail: string;
} {
  const short = Math.min(before.length, after.length);
  let head = 0;
  while (head < short && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < short - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  // Whole words: `15 → 16`, and not `1` with `5 → 6` behind it.
  const word = /[\w.]/;
  while (head > 0 && word.test(before[head - 1]!)) head--;
  while (tail > 0 && word.test(before.at(-tail)!)) tail--;
  return {
    head: before.slice(0, head),
    was: before.slice(head, before.length - tail),
    is: after.slice(head, after.length - tail),
    tail: before.slice(before.length - tail),
  };
}

/** A text that is cut in the middle where it is long, for a single line. */
export function short(text: string, length: number): string {
  if (text.length <= length) return text;
  const half = Math.floor((length - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(text.length - half)}`;
}

/** Nanoseconds of virtual time. */
export function time(ns: number): string {
  const units: [number, string][] = [
    [1e9, "s"],
    [1e6, "ms"],
    [1e3, "µs"],
  ];
  for (const [size, unit] of units) {
    if (ns >= size) return `${+(ns / size).toPrecision(6)} ${unit}`;
  }
  return ns === 0 ? "0" : `${ns} ns`;
}

/** `1 step`, `2 steps`. */
export function count(many: number, word: string): string {
  return `${many.toLocaleString("en")} ${word}${many === 1 ? "" : "s"}`;
}
