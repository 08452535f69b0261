// A sentence as elements: text only, whatever it says.

import type { Part } from "./words";
import type { Story } from "./story";
import { short } from "./values";

/** How many letters of an event stand in a line. */
const LINE_MAX = 72;

export function Name({ story, lane }: { story: Story; lane: number }) {
  const { name, column } = story.lanes[lane]!;
  return <span class={`name hue${column % 8}`}>{name}</span>;
}

export function Sentence(props: { story: Story; parts: Part[]; whole?: boolean }) {
  const { story, parts, whole } = props;
  return (
    <>
      {parts.map((part) => {
        if (typeof part === "string") return whole ? part : short(part, LINE_MAX);
        if ("lane" in part) return <Name story={story} lane={part.lane} />;
        return <b class="event">{whole ? part.event : short(part.event, LINE_MAX)}</b>;
      })}
    </>
  );
}

/** `before → after`, with what differs made to stand out. */
export function Became(props: { before?: string | undefined; after?: string | undefined }) {
  const { before, after } = props;
  return (
    <span class="became">
      {before === undefined ? null : <span class="was">{before}</span>}
      <span class="arrow"> → </span>
      {after === undefined ? <span class="is">nothing</span> : <span class="is">{after}</span>}
    </span>
  );
}
