// What axe finds: contrast, names, roles.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { launch, open } from "./page.mjs";
import { bank, ring } from "./story.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

async function check(page) {
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const faults = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 200)).join("\n    ")}`);
  assert.deepEqual(faults, []);
}

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 800]) {
    for (const [name, story] of [["bank", bank()], ["ring", ring(500)]]) {
      test(`${name}, ${colorScheme}, ${width} px`, async () => {
        const page = await open(browser, story, { colorScheme, viewport: { width, height: 800 } });
        // Evaluated, not added as an element: the page's policy allows no script of others.
        await page.evaluate(axe);
        await check(page);
        await page.getByRole("searchbox").fill("handles");
        await page.getByText("Events: all").click();
        await check(page);
        await page.keyboard.press("Escape");
        await page.locator("body").press("?");
        await page.getByRole("dialog").waitFor();
        await check(page);
        await page.context().close();
      });
    }
  }
}
