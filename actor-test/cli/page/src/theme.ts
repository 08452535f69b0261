// Light or dark: what the system says, unless the reader has chosen.

export type Theme = "light" | "dark";

const KEY = "actor-test theme";

export function current(): Theme {
  const chosen = document.documentElement.dataset["theme"];
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Takes the theme of the last visit, where the browser keeps something for files. */
export function restore(): void {
  const kept = attempt(() => localStorage.getItem(KEY));
  if (kept === "light" || kept === "dark") document.documentElement.dataset["theme"] = kept;
}

export function choose(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme;
  attempt(() => localStorage.setItem(KEY, theme));
}

/** Some browsers refuse to store anything for a page that is a file. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
