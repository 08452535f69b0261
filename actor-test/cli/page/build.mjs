// Builds the page: one file, `page.html`, with script and style inside, which the tool holds in its
// binary and puts a story into.
//
//     npm run build            writes page.html
//     npm run build -- --check says whether page.html is what the sources make

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

async function bundle(entry) {
  const built = await esbuild.build({
    entryPoints: [here(entry)],
    bundle: true,
    minify: true,
    write: false,
    charset: "ascii",
    target: ["chrome123", "firefox120", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
  });
  return built.outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const [script, style] = await Promise.all([bundle("src/index.tsx"), bundle("src/page.css")]);
if (script.includes("</script") || script.includes("<!--") || style.includes("</style")) {
  throw new Error("the bundle would end its own element");
}
const page = readFileSync(here("src/shell.html"), "utf8")
  .replace("@@SCRIPT-HASH@@", () => hash(script))
  .replace("@@STYLE-HASH@@", () => hash(style))
  .replace("@@STYLE@@", () => style)
  .replace("@@SCRIPT@@", () => script);

if (process.argv.includes("--check")) {
  if (readFileSync(here("page.html"), "utf8") !== page) {
    console.error("page.html is not what the sources make: run `npm run build`, and commit it");
    process.exit(1);
  }
} else {
  writeFileSync(here("page.html"), page);
  console.log(`page.html: ${Math.ceil(page.length / 1024)} KiB`);
}
