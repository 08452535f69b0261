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
  return page;
}
