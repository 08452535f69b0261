// Which steps a search finds.

import type { Story } from "./story";
import { searched } from "./words";

export class Search {
  /** The text of each step, once it was looked through. */
  private readonly texts: string[] = [];

  constructor(private readonly story: Story) {}

  /** The steps that have all words of a query, in order. */
  find(query: string): number[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    const found: number[] = [];
    this.story.steps.forEach((step, at) => {
      const text = (this.texts[at] ??= searched(this.story, step));
      if (words.every((word) => text.includes(word))) found.push(at);
    });
    return found;
  }
}
