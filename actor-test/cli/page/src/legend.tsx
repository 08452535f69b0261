// What the signs mean, and the keys.

import { useEffect, useRef } from "preact/hooks";
import { Mark } from "./lanes";

const MARKS: [kind: string, words: string][] = [
  ["start", "starts: the test body, or an actor's first step"],
  ["handle", "handles an event"],
  ["flush", "carries out what its handler asked for: sends an event, spawns an actor"],
  ["resume", "resumes after a wait, with a reply for instance"],
  ["timer", "a timer fires"],
  ["stop", "is stopped"],
  ["fault", "a fault that the tester has injected"],
];

/** The lines across the lanes of a node. */
const LINES: [kind: string, words: string][] = [
  ["crash", "a node crashes: all its actors end"],
  ["restart", "a node restarts: its boot code starts its actors anew"],
];

export const KEYS: [keys: string, words: string][] = [
  ["↓ ↑ or j k", "next, previous step"],
  ["Page Down, Page Up", "twenty steps on, back"],
  ["Home, End", "first, last step"],
  ["n p", "next, previous step of the same actor"],
  ["→ ←", "to where the event is handled; to where it was sent"],
  ["b", "to the step in which the bug shows"],
  ["c", "to the critical step"],
  ["r", "to the next step of a needed race"],
  ["l", "only what may have led to the selected step, or all again"],
  ["s", "rows for steps that only send, or none"],
  ["/", "search; Enter and Shift+Enter: next, previous match"],
  ["t", "light or dark"],
  ["?", "this list"],
];

export function Legend({ onClose }: { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog class="legend" ref={dialog} onClose={onClose} aria-label="Legend">
      <h2>How to read this page</h2>
      <p>
        Time goes down. Each row is one <b>step</b>, and each column, a <b>lane</b>, is one actor; a line
        runs from where the actor is spawned to where it ends. Lanes of one node stand below its name, and an
        actor that a restarted node starts anew stays in its lane. An arrow goes from the step that sends an
        event to the inbox of its receiver. There the event waits beside the lane until it is handled. A long story has no rows for
        steps that only send: there an arrow begins at the step whose handler sends.
      </p>
      <div class="columns">
        <dl>
          {MARKS.map(([kind, words]) => (
            <div key={kind}>
              <dt>
                <svg class="sign" width={20} height={20} aria-hidden="true">
                  <g class="mark hue0" transform="translate(10 10)">
                    <Mark step={{ kind, ignored: false }} />
                  </g>
                </svg>
              </dt>
              <dd>{words}</dd>
            </div>
          ))}
          {LINES.map(([kind, words]) => (
            <div key={kind}>
              <dt>
                <svg class="sign" width={20} height={20} aria-hidden="true">
                  <path class={`across ${kind}`} d="M0 10H20" />
                </svg>
              </dt>
              <dd>{words}</dd>
            </div>
          ))}
          <div>
            <dt>
              <svg class="sign" width={20} height={20} aria-hidden="true">
                <g class="mark hue0" transform="translate(10 10)">
                  <Mark step={{ kind: "handle", ignored: true }} />
                </g>
              </svg>
            </dt>
            <dd>ignores an event, as its state says</dd>
          </div>
          <div>
            <dt>
              <svg class="sign" width={20} height={20} aria-hidden="true">
                <path class="deferred-mark" transform="translate(10 10)" d="M0 -5L5 0L0 5L-5 0Z" />
              </svg>
            </dt>
            <dd>an event arrives, and its receiver's state defers it</dd>
          </div>
          <div>
            <dt>
              <svg class="sign" width={20} height={20} aria-hidden="true">
                <path class="lost-mark" d="M6 6l8 8m0 -8l-8 8" />
              </svg>
            </dt>
            <dd>an event is dropped: its receiver has ended, or has no room</dd>
          </div>
          <div>
            <dt>
              <span class="swatch hot" />
            </dt>
            <dd>a monitor is hot: an obligation is still pending; the stronger the red, the longer</dd>
          </div>
          <div>
            <dt>
              <span class="swatch cold" />
            </dt>
            <dd>a monitor is cold: no obligation is pending; grey is neither</dd>
          </div>
          <div>
            <dt>
              <span class="tag race">race</span>
            </dt>
            <dd>two events that the bug needs in this order: the other way round no run failed</dd>
          </div>
          <div>
            <dt>
              <span class="tag critical">critical</span>
            </dt>
            <dd>the step that decides: from before it most runs escape the bug, from after it few or none</dd>
          </div>
        </dl>
        <dl class="keys">
          {KEYS.map(([keys, words]) => (
            <div key={keys}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{words}</dd>
            </div>
          ))}
        </dl>
      </div>
      <button type="button" onClick={() => dialog.current!.close()}>
        Close
      </button>
    </dialog>
  );
}
