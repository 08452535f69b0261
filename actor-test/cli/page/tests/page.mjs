// A browser, and pages in it.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const TEMPLATE = fileURLToPath(new URL("../page.html", import.meta.url));
const BROWSER = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

export async function launch() {
  return chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox"] });
}

/** The page of a document, as the tool writes it. */
export function html(document) {
  const json = typeof document === "string" ? document : JSON.stringify(document);
  return readFileSync(TEMPLATE, "utf8").replace("@@STORY@@", () => json.replaceAll("<", "\\u003c"));
}

/** What a reader does. */
const ACTIONS = new Set(["click", "press", "type", "fill", "hover", "check", "focus", "evaluate", "reload"]);

/** The same, where each action lasts until the page has drawn what came of it. */
function patient(thing, drawn) {
  return new Proxy(thing, {
    get(target, name) {
      const found = target[name];
      if (name === "keyboard") return patient(found, drawn);
      if (typeof found !== "function") return found;
      return (...given) => {
        const result = found.apply(target, given);
        if (ACTIONS.has(name)) return result.then((value) => drawn().then(() => value));
        const isLocator = typeof result?.allInnerTexts === "function";
        return isLocator ? patient(result, drawn) : result;
      };
    },
  });
}

/** Lets frames pass: for what an event changes, for what that scrolls, and for what the scrolling shows. */
const FRAMES = 4;
const frames = (count) =>
  new Promise((done) => {
    const next = (left) => (left > 0 ? requestAnimationFrame(() => setTimeout(next, 0, left - 1)) : done());
    next(count);
  });

/** Opens the page of a document from a file, as a reader does. What the browser complains about is an
 *  error of the test. */
export async function open(browser, document, options = {}) {
  const folder = mkdtempSync(join(tmpdir(), "page-"));
  const file = join(folder, "story.html");
  writeFileSync(file, html(document));
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("console", (line) => line.type() === "error" && page.complaints.push(line.text()));
  page.on("request", (request) => request.url().startsWith("file:") || page.complaints.push(request.url()));
  await page.goto(pathToFileURL(file).href);
  page.on("close", () => rmSync(folder, { recursive: true, force: true }));
  const drawn = () => page.evaluate(frames, FRAMES);
  await drawn();
  return patient(page, drawn);
}
