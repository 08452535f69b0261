// Where messages wait: which of them cross a window of steps, and beside which track of their
// receiver's lane each waits, so that two that wait at once don't cover each other.

import { indexOf } from "./causality";
import type { Message, Story } from "./story";

/** No more tracks than fit between two lanes. */
const TRACKS = 5;
/** No more arrows than a screen can show. */
const DRAWN_MAX = 300;

export class Arrows {
  readonly track: Uint8Array;
  /** The positions of messages by when they were sent, and when. */
  private readonly order: Int32Array;
  private readonly sent: number[];
  /** A tree over `order`: for each stretch of it, when its last message ends. */
  private readonly latest: Int32Array;
  private readonly leaves: number;

  constructor(private readonly story: Story) {
    const { messages } = story;
    const drawn = messages.flatMap(({ sent }, at) => (sent === undefined ? [] : [{ sent, at }]));
    drawn.sort((a, b) => a.sent - b.sent || a.at - b.at);
    this.order = Int32Array.from(drawn, ({ at }) => at);
    this.sent = drawn.map(({ sent }) => sent);
    this.leaves = 1;
    while (this.leaves < drawn.length) this.leaves *= 2;
    this.latest = new Int32Array(2 * this.leaves).fill(-1);
    this.order.forEach((at, leaf) => {
      this.latest[this.leaves + leaf] = this.end(messages[at]!);
    });
    for (let node = this.leaves - 1; node > 0; node--) {
      this.latest[node] = Math.max(this.latest[2 * node]!, this.latest[2 * node + 1]!);
    }
    this.track = this.tracks();
  }

  /** When a message has left the inbox. */
  end(message: Message): number {
    if (message.handled !== undefined) return message.handled;
    if (message.fate === "dropped") return message.sent ?? 0;
    return this.story.lanes[message.to]!.ends ?? this.story.steps.length - 1;
  }

  /** The messages that are under way between two steps; the latest ones, where they are many. */
  within(first: number, last: number): number[] {
    const found: number[] = [];
    const many = indexOf(this.sent, last + 1);
    const visit = (node: number, from: number, size: number): void => {
      if (found.length >= DRAWN_MAX || from >= many || this.latest[node]! < first) return;
      if (size === 1) {
        found.push(this.order[from]!);
        return;
      }
      visit(2 * node + 1, from + size / 2, size / 2);
      visit(2 * node, from, size / 2);
    };
    visit(1, 0, this.leaves);
    return found;
  }

  private tracks(): Uint8Array {
    const { messages, lanes, columns } = this.story;
    const free = columns.map(() => new Float64Array(TRACKS).fill(-1));
    const track = new Uint8Array(messages.length);
    this.order.forEach((at, place) => {
      const message = messages[at]!;
      const ends = free[lanes[message.to]!.column]!;
      let best = ends.findIndex((end) => end <= this.sent[place]!);
      if (best < 0) best = ends.indexOf(Math.min(...ends));
      ends[best] = this.end(message);
      track[at] = best;
    });
    return track;
  }
}
