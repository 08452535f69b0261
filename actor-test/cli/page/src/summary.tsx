// What went wrong, and why, at the top of the page.

import type { ComponentChildren } from "preact";
import { left, losses, milestones } from "./milestones";
import { Became, Name, Sentence } from "./sentence";
import type { Cause, Story } from "./story";
import { count, short } from "./values";
import { sentence } from "./words";

type OnGo = (step: number) => void;

/** How many of the races are shown at once. */
const RACES_MAX = 4;

/** The most crashes whose losses are shown. */
const LOSSES_MAX = 3;

/** How many unread events, idle actors, changes and the like are named. */
const LEFT_MAX = 4;

export function Summary({ story, onGo }: { story: Story; onGo: OnGo }) {
  const { finding, cause, leftOut } = story;
  const actors = story.columns.filter(({ lanes }) => lanes.some((lane) => story.lanes[lane]!.kind === "actor")).length;
  return (
    <div class="summary" tabIndex={0} role="region" aria-label="What went wrong, and why">
      <h1>{story.test}</h1>
      {finding ? (
        <p class="finding">
          <span class="tag bug">{finding.word}</span> {finding.message}{" "}
          {finding.place ? <code>{finding.place} </code> : null}
          <Go story={story} to={finding.step} kind="bug" onGo={onGo} />
        </p>
      ) : (
        <p class="finding">No bug.</p>
      )}
      <Milestones story={story} onGo={onGo} />
      <Losses story={story} onGo={onGo} />
      <Left story={story} onGo={onGo} />
      <Races story={story} onGo={onGo} />
      <Decided story={story} onGo={onGo} />
      {story.cycle ? (
        <p class="cause">
          <span class="tag cycle">cycle</span> From here on the same steps can be repeated for ever:{" "}
          <Go story={story} to={story.cycle.from} kind="" onGo={onGo} /> to{" "}
          <Go story={story} to={story.cycle.to} kind="" onGo={onGo} />
        </p>
      ) : null}
      <Nearest story={story} onGo={onGo} />
      <p class="origin">
        {story.origin} · {count(story.steps.length, "step")} · {count(actors, "actor")}
        {leftOut ? ` · steps ${leftOut.from} to ${leftOut.to} are left out, since they are too many` : null}
        {cause.cutShort ? " · more causes may be found with a larger budget" : null}
      </p>
    </div>
  );
}

function Go(props: { story: Story; to: number; kind: string; onGo: OnGo; children?: ComponentChildren }) {
  const { story, to, kind, onGo } = props;
  return (
    <button type="button" class={`go ${kind}`} onClick={() => onGo(to)}>
      step {story.steps[to]!.number}
    </button>
  );
}

/** The steps that tell what happened, one line each. */
function Milestones({ story, onGo }: { story: Story; onGo: OnGo }) {
  const all = milestones(story);
  // The bug alone stands above already.
  if (all.length < 2) return null;
  return (
    <ol class="milestones" aria-label="The steps that matter">
      {all.map(({ step: at, word, kind }) => {
        const step = story.steps[at]!;
        return (
          <li key={`${at} ${word}`}>
            <Go story={story} to={at} kind={kind} onGo={onGo} />
            <span class={`tag ${kind}`}>{word}</span>
            <span class="what">
              <Name story={story} lane={step.lane} /> <Sentence story={story} parts={sentence(story, step)} />
            </span>
          </li>
        );
      })}
    </ol>
  );
}

/** What a crash has taken with it, though somebody knows of it. */
function Losses({ story, onGo }: { story: Story; onGo: OnGo }) {
  return (
    <>
      {losses(story)
        .slice(0, LOSSES_MAX)
        .map(({ step, states, unread }) => (
          <p class="left" key={step}>
            <span class="tag bug">lost</span> in <Go story={story} to={step} kind="bug" onGo={onGo} />
            {states.slice(0, LEFT_MAX).map(({ lane, changes, step, sent }) => (
              <>
                : <Name story={story} lane={lane} />{" "}
                {changes.slice(0, LEFT_MAX).map(({ field, before, after }) => (
                  <>
                    {field}{" "}
                    <Became before={short(before ?? "nothing", 40)} after={after && short(after, 60)} />{" "}
                  </>
                ))}
                <Go story={story} to={step} kind="" onGo={onGo} />
                {sent.slice(0, LEFT_MAX).map((at, nth) => (
                  <>
                    {nth === 0 ? ", after which it " : ", "}
                    <Sentence story={story} parts={sentence(story, story.steps[at]!)} />{" "}
                    <Go story={story} to={at} kind="" onGo={onGo} />
                  </>
                ))}
              </>
            ))}
            {states.length > 0 && unread.length > 0 ? "." : null}
            {unread.length > 0 ? " Never read:" : null}
            <Some all={unread}>{(one) => <Unread story={story} onGo={onGo} {...one} />}</Some>
          </p>
        ))}
    </>
  );
}

/** The first few of them, and how many there are more. */
function Some<T>({ all, children }: { all: T[]; children: (one: T) => ComponentChildren }) {
  return (
    <>
      {all.slice(0, LEFT_MAX).map((one, at) => [at > 0 ? ", " : " ", children(one)])}
      {all.length > LEFT_MAX ? ` and ${all.length - LEFT_MAX} more` : null}
    </>
  );
}

function Unread(props: { story: Story; onGo: OnGo; event: string; to: number; sent: number }) {
  const { story, onGo, event, to, sent } = props;
  return (
    <>
      <b class="event">{short(event, 40)}</b> to <Name story={story} lane={to} />{" "}
      <Go story={story} to={sent} kind="" onGo={onGo} />
    </>
  );
}

/** What is on its way in the end, where the end is that nothing more comes. */
function Left({ story, onGo }: { story: Story; onGo: OnGo }) {
  const { unread, idle } = left(story);
  if (unread.length + idle.length === 0) return null;
  return (
    <p class="left">
      <span class="tag">then</span>
      {unread.length > 0 ? " Unread:" : null}
      <Some all={unread}>{(one) => <Unread story={story} onGo={onGo} {...one} />}</Some>
      {unread.length > 0 && idle.length > 0 ? ". " : null}
      {idle.length > 0 ? " Have done nothing yet:" : null}
      <Some all={idle}>
        {({ lane, begins }) => (
          <>
            <Name story={story} lane={lane} /> <Go story={story} to={begins} kind="" onGo={onGo} />
          </>
        )}
      </Some>
    </p>
  );
}

function Races({ story, onGo }: { story: Story; onGo: OnGo }) {
  const { races } = story.cause;
  const line = ({ first, second, text, evidence }: Cause["races"][number]) => (
    <p class="cause" key={`${first} ${second}`}>
      <span class="tag race">race</span> {short(text, 400)} <span class="at">{evidence}</span>{" "}
      <Go story={story} to={first} kind="race" onGo={onGo} />{" "}
      <Go story={story} to={second} kind="race" onGo={onGo} />
    </p>
  );
  return (
    <>
      {races.slice(0, RACES_MAX).map(line)}
      {races.length > RACES_MAX ? (
        <details>
          <summary>{count(races.length - RACES_MAX, "more race")}</summary>
          {races.slice(RACES_MAX).map(line)}
        </details>
      ) : null}
    </>
  );
}

function Decided({ story, onGo }: { story: Story; onGo: OnGo }) {
  const { decided, curve } = story.cause;
  if (!decided) return null;
  return (
    <p class="cause">
      <span class="tag critical">{decided.isCritical ? "critical" : "decided"}</span> {decided.text}{" "}
      {decided.step === undefined ? null : (
        <Go story={story} to={decided.step} kind="critical" onGo={onGo} />
      )}
      {curve.length > 2 ? <Curve story={story} onGo={onGo} /> : null}
    </p>
  );
}

/** Where the nearest run without the bug parts, and what it does instead. */
function Nearest({ story, onGo }: { story: Story; onGo: OnGo }) {
  const { nearest } = story.cause;
  if (!nearest) return null;
  const { shared, sharedSteps, instead, then } = nearest;
  return (
    <details class="cause">
      <summary>
        <span class="tag passing">passing run</span> The nearest run without the bug does the same up to{" "}
        {shared === undefined ? (
          `step ${sharedSteps}, which is not shown here`
        ) : (
          <Go story={story} to={shared} kind="" onGo={onGo} />
        )}
        {instead ? `, and then: ${instead.actor} ${short(instead.what, 120)}` : ", where it ends"}
      </summary>
      <ol class="then">
        {then.map(({ number, actor, what }) => (
          <li key={number} value={number}>
            <b>{actor}</b> {what}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** How many of the continuations failed again, by the step after which they began. */
function Curve({ story, onGo }: { story: Story; onGo: OnGo }) {
  const { curve } = story.cause;
  const last = curve.reduce((most, { number }) => Math.max(most, number), 1);
  const [width, height] = [180, 24];
  const points = curve.map(({ number, failed, of }) => ({
    x: (number / last) * width,
    y: height - (of > 0 ? failed / of : 0) * height,
  }));
  const words = curve.map(({ number, failed, of }) => `after step ${number}: ${failed} of ${of}`).join("; ");
  return (
    <svg
      class="curve"
      width={width + 8}
      height={height + 8}
      viewBox={`-4 -4 ${width + 8} ${height + 8}`}
      role="img"
      aria-label={`How many random continuations fail again, ${short(words, 600)}`}
    >
      <path class="base" d={`M0 ${height}H${width}`} />
      <polyline points={points.map(({ x, y }) => `${x},${y}`).join(" ")} />
      {points.map(({ x, y }, at) => (
        <circle
          key={at}
          cx={x}
          cy={y}
          r={3}
          onClick={() => curve[at]!.after !== undefined && onGo(curve[at]!.after!)}
        >
          <title>
            {`of continuations from after step ${curve[at]!.number}, ${curve[at]!.failed} of ${curve[at]!.of} fail again`}
          </title>
        </circle>
      ))}
    </svg>
  );
}
