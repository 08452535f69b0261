// Where the page begins: the story is read and drawn, and what goes wrong is said.

import { Component, render, type ComponentChildren } from "preact";
import { App } from "./app";
import { read } from "./document";
import type { Story } from "./story";
import { restore } from "./theme";

/** Says what is wrong in the place of the page, so that it is never blank. */
function Wrong({ why }: { why: string }) {
  return (
    <div class="notice wrong" role="alert">
      <p>This story can't be shown: {why.slice(0, 1000)}</p>
      <p>
        Write the page anew with <code>cargo actor-test show TRACE --html FILE</code>.
      </p>
    </div>
  );
}

/** Catches what the drawing throws. */
class Guard extends Component<{ children: ComponentChildren }, { why?: string }> {
  static getDerivedStateFromError(error: unknown) {
    return { why: String(error) };
  }

  render() {
    return this.state.why === undefined ? this.props.children : <Wrong why={this.state.why} />;
  }
}

function start(): void {
  const page = document.getElementById("page")!;
  page.textContent = "";
  restore();
  let story: Story;
  try {
    story = read(document.getElementById("story")?.textContent ?? "");
  } catch (error) {
    render(<Wrong why={error instanceof Error ? error.message : String(error)} />, page);
    return;
  }
  document.title = `${story.test}: the story of an execution`;
  render(
    <Guard>
      <App story={story} />
    </Guard>,
    page,
  );
}

start();
