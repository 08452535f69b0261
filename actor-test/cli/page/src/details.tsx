// Everything about one step.

import type { ComponentChildren } from "preact";
import { chain } from "./causality";
import { fieldsAfter } from "./fields";
import { stayAt } from "./lanes";
import { Became, Name, Sentence } from "./sentence";
import type { Change, Step, Story } from "./story";
import { differs, layOut, time } from "./values";
import { sentence } from "./words";

/** How wide values are laid out. */
const WIDTH = 46;
/** How many links of a chain are shown. */
const CHAIN_MAX = 12;
/** How many fields and effects are shown. */
const LINES_MAX = 200;

interface Props {
  story: Story;
  position: number;
  onGo(step: number): void;
  isOnlyCauses: boolean;
  onOnlyCauses(only: boolean): void;
}

export function Details(props: Props) {
  const { story, position, isOnlyCauses, onOnlyCauses } = props;
  const step = story.steps[position]!;
  return (
    <section class="details" aria-label="The selected step" tabIndex={0}>
      <h2>
        Step {step.number} <span class="at">{step.timeNs > 0 ? `at ${time(step.timeNs)}` : ""}</span>
      </h2>
      <p class="whole">
        <Name story={story} lane={step.lane} /> <Sentence story={story} parts={sentence(story, step)} whole />
      </p>
      <Values {...props} />
      <State {...props} />
      <Monitors {...props} />
      <Log step={step} />
      <Chain {...props} />
      <LookedAt {...props} />
      <p>
        <label>
          <input
            type="checkbox"
            checked={isOnlyCauses}
            onChange={(event) => onOnlyCauses(event.currentTarget.checked)}
          />{" "}
          Show only what may have led to this step
        </label>
      </p>
    </section>
  );
}

function Part({ title, children }: { title: ComponentChildren; children: ComponentChildren }) {
  return (
    <div class="part">
      <h3>{title}</h3>
      {children}
    </div>
  );
}

function Go({ story, to, onGo }: { story: Story; to: number; onGo(step: number): void }) {
  return (
    <button type="button" class="go" onClick={() => onGo(to)}>
      step {story.steps[to]!.number}
    </button>
  );
}

/** The events that it handles and sends, laid out, with where they come from and go to. */
function Values({ story, position, onGo }: Props) {
  const step = story.steps[position]!;
  const carried = step.effects.flatMap((effect) => (effect.effect === "sent" ? [effect.message] : []));
  const handled = step.message ?? step.answer;
  return (
    <>
      {handled === undefined ? null : (
        <Event story={story} number={handled} title={step.answer === undefined ? "Handled" : "Reply"}>
          {story.messages[handled]!.sent === undefined ? null : (
            <>
              sent in <Go story={story} to={story.messages[handled]!.sent!} onGo={onGo} />
            </>
          )}
        </Event>
      )}
      {carried.slice(0, LINES_MAX).map((number) => {
        const { handled, fate } = story.messages[number]!;
        return (
          <Event key={number} story={story} number={number} title={step.kind === "timer" ? "Fired" : "Sent"}>
            {handled === undefined ? (
              { dropped: "it never arrives", deferred: "deferred, and never handled" }[fate as string] ??
              "never handled"
            ) : (
              <>
                {fate === "ignored" ? "ignored in " : "handled in "}
                <Go story={story} to={handled} onGo={onGo} />
              </>
            )}
          </Event>
        );
      })}
    </>
  );
}

function Event(props: { story: Story; number: number; title: string; children: ComponentChildren }) {
  const { story, number, title, children } = props;
  return (
    <Part
      title={
        <>
          {title} <span class="at">{children}</span>
        </>
      }
    >
      <pre>{layOut(story.messages[number]!.event, WIDTH)}</pre>
    </Part>
  );
}

/** The actor's state and fields: what the step changed first, then all of them. */
function State({ story, position }: Props) {
  const step = story.steps[position]!;
  const fields = [...fieldsAfter(story, step.lane, position)];
  const changed = new Set(step.changes.map(({ field }) => field));
  if (step.state === undefined && fields.length === 0 && step.changes.length === 0) return null;
  return (
    <Part
      title={
        <>
          State of <Name story={story} lane={step.lane} />
        </>
      }
    >
      {step.state === undefined && step.after === undefined ? null : (
        <p>
          {step.after !== undefined && step.after !== step.state ? (
            <Became before={step.state} after={step.after} />
          ) : (
            <>{step.after ?? step.state} (stays)</>
          )}
        </p>
      )}
      {step.changes.length === 0 ? null : (
        <dl class="changes">
          {step.changes.slice(0, LINES_MAX).map((change) => (
            <Changed key={change.field} {...change} />
          ))}
        </dl>
      )}
      {fields.length === 0 ? null : (
        <details class="fields" open={fields.length <= 12}>
          <summary>All fields after it</summary>
          <dl>
            {fields.slice(0, LINES_MAX).map(([field, value]) => (
              <div key={field} class={changed.has(field) ? "is-changed" : ""}>
                <dt>{field || "value"}</dt>
                <dd>
                  <pre>{layOut(value, WIDTH)}</pre>
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </Part>
  );
}

/** A field before and after; of long values, what differs stands out. */
function Changed({ field, before, after }: Change) {
  const name = <dt>{field || "value"}</dt>;
  if (before === undefined || after === undefined || before.length + after.length < WIDTH) {
    return (
      <div>
        {name}
        <dd>
          <Became before={before} after={after} />
        </dd>
      </div>
    );
  }
  const { head, was, is, tail } = differs(before, after);
  return (
    <div>
      {name}
      <dd>
        <pre>
          {head}
          <del>{was}</del>
          <ins>{is}</ins>
          {tail}
        </pre>
      </dd>
    </div>
  );
}

function Monitors({ story, position, onGo }: Props) {
  if (story.monitors.length === 0) return null;
  return (
    <Part title="Monitors after it">
      <ul>
        {story.monitors.slice(0, LINES_MAX).map((monitor, at) => {
          const stay = stayAt(monitor, position);
          const { state, temperature } = monitor.stays[stay]!;
          const from = monitor.starts[stay]!;
          // What may be, and what is never pending, is neither hot nor cold.
          const owes = monitor.kind !== "always" && monitor.kind !== "sometimes";
          return (
            <li key={at}>
              <span class={`pill ${temperature}`}>
                {monitor.name}: {state}
              </span>{" "}
              {owes ? `${temperature} ` : null}
              {from < 0 ? "from the start" : "since "}
              {from < 0 ? null : <Go story={story} to={from} onGo={onGo} />}
            </li>
          );
        })}
      </ul>
    </Part>
  );
}

function Log({ step }: { step: Step }) {
  const lines = step.effects.flatMap((effect) => (effect.effect === "logged" ? [effect] : []));
  if (lines.length === 0) return null;
  return (
    <Part title="Log">
      <ul class="log">
        {lines.slice(0, LINES_MAX).map(({ level, target, text }) => (
          <li>
            <b>{level}</b> {text} <span class="at">{target}</span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** The messages that led here, the last one first. */
function Chain({ story, position, onGo }: Props) {
  const [, ...earlier] = chain(story, position);
  if (earlier.length === 0) return null;
  return (
    <Part title="How it came to this, backwards">
      <ol class="chain">
        {earlier.slice(0, CHAIN_MAX).map((at) => {
          const step = story.steps[at]!;
          return (
            <li key={at}>
              <Go story={story} to={at} onGo={onGo} /> <Name story={story} lane={step.lane} />{" "}
              <Sentence story={story} parts={sentence(story, step)} />
            </li>
          );
        })}
        {earlier.length > CHAIN_MAX ? <li>and {earlier.length - CHAIN_MAX} steps before</li> : null}
      </ol>
    </Part>
  );
}

/** What the monitor remembers that failed, or what the predicate saw. */
function LookedAt({ story, position }: Props) {
  if (story.finding?.step !== position) return null;
  if (story.remembered !== undefined) {
    return (
      <Part title="What the monitor remembers">
        <pre>{layOut(story.remembered, WIDTH)}</pre>
      </Part>
    );
  }
  if (story.inspected.length === 0) return null;
  return (
    <Part title="What the predicate looked at">
      <dl>
        {story.inspected.slice(0, LINES_MAX).map(({ who, state, value }) => (
          <div>
            <dt>
              <Name story={story} lane={who} /> {state}
            </dt>
            <dd>
              <pre>{layOut(value ?? "", WIDTH)}</pre>
            </dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}
