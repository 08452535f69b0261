// Documents that nobody should have written: whatever they hold is shown as text, or refused with a
// line that says what is wrong. The page is never blank, and nothing in it is executed.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open } from "./page.mjs";
import { bank, ring } from "./story.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const MARKUP = `</script><script>document.title="pwned"</script><img src=x onerror="document.title='pwned'"><!--<b style="color:red">&lt;\u2028"'\``;
/** What chooses between ways to show something, and is no text for people. */
const WORDS = new Set(["format", "effect", "temperature", "is"]);

function withTexts(value, make) {
  if (Array.isArray(value)) return value.map((each) => withTexts(each, make));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      typeof each === "string" && !WORDS.has(key) ? make(each, key) : withTexts(each, make),
    ]),
  );
}

/** What the page says in the place of a story; nothing where it shows one. */
async function refusal(page) {
  const alert = page.getByRole("alert");
  return (await alert.count()) > 0 ? alert.innerText() : undefined;
}

/** Neither blank nor executed, and no word of the browser about either. */
async function isHarmless(page) {
  const text = await page.locator("body").innerText();
  assert.ok(text.trim().length > 20, "the page is blank");
  assert.notEqual(await page.title(), "pwned");
  assert.equal(await page.locator("img, iframe, object, embed, link[href], base").count(), 0);
  assert.equal(await page.locator("script").count(), 2);
  assert.deepEqual(page.complaints, []);
}

test("markup in every text is text", async () => {
  const page = await open(browser, withTexts(bank(), (_, key) => (key === "kind" ? "handle" : MARKUP)));
  assert.equal(await refusal(page), undefined);
  await isHarmless(page);
  assert.ok((await page.locator(".finding").innerText()).includes("<img src=x"));
  for (const key of ["Home", "j", "j", "j", "j", "j", "j", "?", "Escape", "l", "/"]) {
    await page.keyboard.press(key);
  }
  await page.getByRole("searchbox").fill("<img");
  await page.getByText("Events:").click();
  await isHarmless(page);
  await page.context().close();
});

test("a script that is put into the page is not run", async () => {
  const page = await open(browser, bank());
  const ran = await page.evaluate(() => {
    for (const text of ["document.title = 'pwned'"]) {
      const script = document.createElement("script");
      script.textContent = text;
      document.body.append(script);
    }
    return document.title;
  });
  assert.notEqual(ran, "pwned");
  assert.match(page.complaints.join(), /Content Security Policy/);
  await page.context().close();
});

const REFUSED = [
  ["no JSON", "{", /no JSON/],
  ["nothing", "", /no JSON/],
  ["null", "null", /the document is no object/],
  ["a list", "[]", /the document is no object/],
  ["a text", JSON.stringify(MARKUP), /the document is no object/],
  ["another format", { format: "other" }, /has no "format": "actor-test story"/],
  ["a newer version", { ...bank(), version: 2 }, /version is 2, and this page reads version 1/],
  ["a version beyond all numbers", { ...bank(), version: 1e308 }, /version is 1e\+308/],
  ["no steps", { ...bank(), steps: [] }, /steps is empty/],
  ["steps that are no list", { ...bank(), steps: { length: 1e9 } }, /steps is no list/],
  ["nobody", { ...bank(), operations: undefined }, /operations is empty/],
  ["no test", { ...bank(), test: 7 }, /test is no text/],
];

for (const [name, document, why] of REFUSED) {
  test(`refused with a reason: ${name}`, async () => {
    const page = await open(browser, document);
    assert.match((await refusal(page)) ?? "it was shown", why);
    await isHarmless(page);
    await page.context().close();
  });
}

test("refused with a place: a step of nobody", async () => {
  const document = bank();
  document.steps[2].who = 99;
  const page = await open(browser, document);
  assert.match(await refusal(page), /steps\[2\]\.who is 99, but there are only 4 of them/);
  await page.context().close();
});

test("what precedes its cause has no cause", async () => {
  const document = bank();
  for (const message of document.messages) [message.sent, message.handled] = [message.handled, message.sent];
  document.timers = [{ owner: 1, purpose: "event", delay_ns: 1e300, armed: 20 }];
  document.steps[5] = { ...document.steps[5], kind: "timer", timer: 0 };
  const page = await open(browser, document);
  assert.equal(await refusal(page), undefined);
  await page.keyboard.press("l");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Home");
  await isHarmless(page);
  await page.context().close();
});

test("numbers and texts without measure", async () => {
  const document = bank();
  const deep = "[".repeat(20_000);
  document.steps.forEach((step) => (step.time_ns = Number.MAX_SAFE_INTEGER));
  document.steps.at(-1).changes = Array.from({ length: 500 }, (_, at) => ({ field: `f${at}`, after: deep }));
  document.messages.at(-1).event = "x".repeat(1_000_000);
  document.finding.step = 1e300;
  document.operations[1].name = "n".repeat(100_000);
  document.monitors[0].name = "m".repeat(100_000);
  const page = await open(browser, document);
  assert.equal(await refusal(page), undefined);
  await isHarmless(page);
  await page.context().close();
});

test("a thousand actors and a thousand monitors", async () => {
  const document = ring(3000, 1000);
  for (let at = 0; at < 1000; at++) document.monitors.push({ ...document.monitors[0], name: `M${at}` });
  const page = await open(browser, document);
  await page.keyboard.press("Home");
  await isHarmless(page);
  await page.context().close();
});

/** A generator that is the same on every machine. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const STRANGE = [null, true, -1, 0, 1e308, 1.5, 2 ** 53, "", MARKUP, [], {}, [[]], "__proto__"];

/** Replaces or removes a few values somewhere in a document. */
function spoilt(document, random) {
  const places = [];
  const visit = (value) => {
    if (typeof value !== "object" || value === null) return;
    for (const key of Object.keys(value)) {
      places.push([value, key]);
      visit(value[key]);
    }
  };
  visit(document);
  for (let many = 1 + random(3); many > 0; many--) {
    const [parent, key] = places[random(places.length)];
    if (random(4) === 0) delete parent[key];
    else parent[key] = STRANGE[random(STRANGE.length)];
  }
  return document;
}

test("a spoilt document is shown or refused, whatever was done to it", async () => {
  const random = numbers(13);
  const page = await open(browser, bank());
  // The page reads the document anew where its text is replaced and its script is run again.
  const script = await page.evaluate(() => document.querySelectorAll("script")[1].textContent);
  let refused = 0;
  for (let at = 0; at < 300; at++) {
    const text = JSON.stringify(spoilt(bank(), random));
    await page.evaluate((text) => {
      const old = document.getElementById("page");
      const fresh = old.cloneNode(false);
      old.replaceWith(fresh);
      document.getElementById("story").textContent = text;
    }, text);
    await page.evaluate(script);
    for (const key of ["Home", "j", "j", "End"]) await page.keyboard.press(key);
    await isHarmless(page);
    if (await refusal(page)) refused++;
  }
  assert.ok(refused > 50 && refused < 290, `${refused} of 300 refused`);
  await page.context().close();
});
