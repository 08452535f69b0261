// How the execution differs from the nearest one without the bug.

import type { Comparison } from "./compare";
import type { Story } from "./story";
import { short } from "./values";

/** How many differences are shown. */
const LINES_MAX = 100;

export function Differences(props: { story: Story; compared: Comparison; onGo(step: number): void }) {
  const { story, compared, onGo } = props;
  const { fork, differences } = compared;
  const at = Math.min(fork, story.steps.length - 1);
  return (
    <section class="part differences">
      <h2>Compared with the nearest passing run</h2>
      <p>
        Both do the same before{" "}
        <button type="button" class="go" onClick={() => onGo(at)}>
          step {story.steps[at]!.number}
        </button>
        . Marked are the step where they part, and those that the other run does not have.
      </p>
      {differences.length === 0 ? (
        <p>In the end all actors have the same states and fields, as far as they are known.</p>
      ) : (
        <table>
          <caption>What differs in the end</caption>
          <thead>
            <tr>
              <th scope="col">actor</th>
              <th scope="col">field</th>
              <th scope="col">with the bug</th>
              <th scope="col">passing</th>
            </tr>
          </thead>
          <tbody>
            {differences.slice(0, LINES_MAX).map(({ actor, field, here, there }) => (
              <tr key={`${actor} ${field}`}>
                <td>{actor}</td>
                <td>{field || "value"}</td>
                <td>{short(here ?? "nothing", 60)}</td>
                <td>{short(there ?? "nothing", 60)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
