// The page in a browser: what a reader does with it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open } from "./page.mjs";
import { bank, bankCompared, bankParted, crashed, pending, restarted, ring, signs, world } from "./story.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** Runs a test on a page, about which the browser must not complain. */
function on(name, story, act, options) {
  test(name, async () => {
    const page = await open(browser, story(), options);
    await act(page);
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });
}

const selected = (page) => page.locator(".details h2").innerText();
/** What a place says, on one line. */
const said = async (place) => (await place.innerText()).replace(/\s+(,?)\s*/g, (_, comma) => `${comma} `);
const row = (page, number) => page.locator(`#step-${number - 1}`);

on("it begins at the bug, with what went wrong, and why", bank, async (page) => {
  assert.match(await page.title(), /bank::tests::never_overdrawn/);
  assert.match(await page.locator(".finding").innerText(), /always "in credit" is false/);
  const [race, critical] = await page.locator(".cause").allInnerTexts();
  assert.match(race, /It needs Balance from Clerk#2 before Withdraw from Clerk#1 at Account\. The other way round none of 12/);
  assert.match(critical, /9 of 40 fail in this way from before this step, and 40 of 40 from after it/);
  assert.match(await selected(page), /^Step 20/);
  assert.match(await said(row(page, 20)), /bug Account handles Withdraw .* balance 40 → -20/);
});

const milestones = async (page) => {
  const lines = await page.locator(".milestones li").allInnerTexts();
  return lines.map((line) => line.replaceAll("\n", " ").slice(0, 40));
};

on("the steps that matter stand at the top", bank, async (page) => {
  assert.deepEqual(await milestones(page), [
    "step 10 race Clerk#2 sends Balance { to:",
    "step 16 race Clerk#1 sends Withdraw { am",
    "step 17 critical Clerk#2 handles Balance",
    "step 20 invariant Account handles Withdr",
  ]);
  await page.locator(".milestones button").first().click();
  assert.match(await selected(page), /^Step 10/);
});

on("a fault stands at the top, though no cause names it", world, async (page) => {
  const [fault] = await milestones(page);
  assert.match(fault, /^step 5 fault test FAULT: crash of n1/);
});

on("what a crash has taken with it stands at the top", crashed, async (page) => {
  assert.equal(
    await said(page.locator(".left")),
    "lost in step 12: n1/Store value 1 → 8 step 10, after which it sends reply Stored(8) to test step 11." +
      " Never read: Put(9) to n1/Store step 7",
  );
});

on("what is on its way stands at the top where an obligation is pending", pending, async (page) => {
  assert.deepEqual((await milestones(page)).map((line) => line.slice(0, 12)), ["step 4 pendi", "step 5 liven"]);
  const left = await said(page.locator(".left"));
  assert.match(left, /^then Unread: Work to Server step 4\. Have done nothing yet: Idle step 3$/);
});

on("each step is a row with who, what and what changed", bank, async (page) => {
  assert.match(await said(row(page, 2)), /test spawns Account/);
  assert.match(await said(row(page, 5)), /test sends PayOut { amount: 60 } to Clerk#1/);
  assert.match(await said(row(page, 7)), /Clerk#1 handles PayOut .* from test.*→ Asking/);
  assert.match(await said(row(page, 16)), /Audit: Owing/);
});

on("lanes, arrows, and what matters are drawn", bank, async (page) => {
  const many = (what) => page.locator(`.lanes ${what}`).count();
  assert.equal(await many("line.lane"), 4);
  assert.equal(await many(".message .tip"), 8);
  assert.equal(await many(".mark .bug"), 1);
  assert.ok((await many(".message.in-race .tip")) === 2, "both arrows of the race");
  assert.ok((await many(".message.in-chain .tip")) >= 3, "the chain that leads to the bug");
  assert.ok((await many(".heat.hot")) >= 1);
  assert.ok((await many(".heat.cold")) >= 1);
});

const names = (page, kind) => page.locator(`.head .${kind}`).allInnerTexts();

on("an actor has one lane in all incarnations, beside the others of its node", restarted, async (page) => {
  assert.deepEqual(await names(page, "node-name"), ["n1", "n2"]);
  assert.deepEqual(await names(page, "lane-name"), ["test", "Store", "Store", "Client"]);
  await page.keyboard.press("Home");
  const lines = await page.locator(".lanes line.lane").evaluateAll((all) => all.map((line) => line.getAttribute("x1")));
  assert.deepEqual(lines.map((x) => lines.indexOf(x)), [0, 1, 1, 1, 4, 5], "both incarnations and their name are one above the other");
});

on("a crash and a restart are one line across the lanes of the node", restarted, async (page) => {
  await page.keyboard.press("Home");
  const [crash, restart] = [page.locator(".across.crash"), page.locator(".across.restart")];
  assert.deepEqual([await crash.count(), await restart.count()], [1, 1]);
  assert.equal(await page.locator(".mark .bolt").count(), 2);
  /** The lanes under or over the line, by their place. */
  const struck = async () => {
    const [line, lanes] = [await crash.boundingBox(), await page.locator(".head .lane-name").all()];
    const middles = await Promise.all(lanes.map(async (lane) => lane.boundingBox().then(({ x, width }) => x + width / 2)));
    return [...middles.keys()].filter((at) => middles[at] > line.x && middles[at] < line.x + line.width);
  };
  assert.deepEqual(await struck(), [1], "n1/Store");
  await page.getByRole("button", { name: /Show all/ }).click();
  assert.deepEqual(await struck(), [1, 2], "boot code and store of n1");
});

on("boot code and links are shown where something goes wrong, or where they are asked for", restarted, async (page) => {
  assert.equal(await page.locator(".row.gap").count(), 0);
  assert.equal(await row(page, 5).count(), 0);
  await page.getByRole("button", { name: "Show all (7 steps not shown)" }).click();
  assert.deepEqual(await names(page, "lane-name"), [
    "test", "boot", "Store", "boot", "Store", "Client", "n1->n2",
  ]);
  assert.match(await said(row(page, 5)), /n1\/boot starts/);
});

on("a link that loses something has its lane", () => {
  const document = restarted();
  document.steps.find(({ kind }) => kind === "deliver").effects = [{ effect: "lost_on_link" }];
  return document;
}, async (page) => {
  assert.deepEqual(await names(page, "lane-name"), ["test", "Store", "Store", "Client", "n1->n2"]);
});

on("each kind of step has its sign and its words", signs, async (page) => {
  const words = [
    [4, /Client starts, sets a timer for Tick, in 5 ms, awaits/],
    [7, /Server sends reply Ok\(7\) to Client/],
    [8, /Client resumes/],
    [9, /5 ms Client timer fires: Tick/],
    [10, /Client ignores Tick from timer/],
    [11, /Client sends Later\(1\) to Server, deferred/],
    [12, /test fault/],
    [13, /Server stop, halts, dead letters: 1 queued event/],
    [14, /TooLate to Server, dead letter: the receiver has stopped/],
  ];
  for (const [number, text] of words) assert.match(await said(row(page, number)), text);
  const many = (what) => page.locator(`.lanes ${what}`).count();
  assert.equal(await many(".message.reply .tip"), 1, "the reply reaches who resumes");
  assert.equal(await many(".message.dropped .lost"), 1);
  assert.equal(await many(".deferred-mark"), 1);
  assert.equal(await many(".mark .hands"), 1);
  assert.equal(await many(".mark .bolt"), 1);
  assert.equal(await many(".mark .half"), 1);
});

on("disks, links, what is shared and names have their words", world, async (page) => {
  const words = [
    [2, /n1\/Store appends 3 bytes to `log`/],
    [3, /n1\/Store syncs `log`, which fails: I\/O error/],
    [4, /n1\/Store renames `new` to `log`/],
    [5, /FAULT: crash of n1, the power fails, loses 3 bytes written to `log` at 0/],
    [6, /loses 1 of 2 blocks of 3 bytes written to `log` at 0/],
    [7, /n1->n2 delivers, the reply reaches n1\/Store/],
    [8, /test locks Mutex \(a.rs:1:2\) at a.rs:3:4/],
    [9, /test notifies one at Condvar \(a.rs:1:2\) at a.rs:4:4, wakes n1\/Store$/],
    [10, /test notifies one at Condvar \(a.rs:1:2\) at a.rs:4:4, wakes nobody/],
    [11, /test resumes, is over/],
    [12, /test registers n1\/Store as `store`/],
    [13, /test can't register the name `store`: n1\/Store has it/],
    [14, /test unregisters the name `store`/],
    [15, /test looks up `store`: n1\/Store/],
    [16, /test looks up `store`: nobody has it/],
    [17, /test sends Put\(7\) to n1\/Store, dead letter: nobody has the name/],
  ];
  for (const [number, text] of words) assert.match(await said(row(page, number)), text);
  assert.equal(await page.locator(".lanes .message.dropped").count(), 1);
});

on("what resumes was led to by the reply, and what a timer fires by who set it", signs, async (page) => {
  await row(page, 8).click();
  const chain = async () => (await page.locator(".chain .go").allInnerTexts()).join(" ");
  assert.equal(await chain(), "step 7 step 6 step 5 step 4");
  await row(page, 10).click();
  assert.equal(await chain(), "step 9 step 4");
});

on("a click shows a step, its event, and its actor's fields", bank, async (page) => {
  await row(page, 19).click();
  const details = await page.locator(".details").innerText();
  assert.match(details, /^Step 19/);
  assert.match(details, /Account handles Withdraw { amount: 60, reason: "pay out at the counter" } from Clerk#1/);
  assert.match(details, /Withdraw {\n +amount: 60,\n/);
  assert.match(details, /sent in\s+step 16/);
  assert.match(details, /balance\s+100 → 40/);
  assert.match(details, /INFO paid out 60 bank/);
  await page.locator(".part", { hasText: "Handled" }).getByRole("button", { name: "step 16" }).click();
  assert.match(await selected(page), /^Step 16/);
});

on("what the failed predicate saw is at the bug", bank, async (page) => {
  assert.match(await page.locator(".details").innerText(), /looked at\s+Account\s+Account { balance: -20/);
  await row(page, 1).click();
  assert.doesNotMatch(await page.locator(".details").innerText(), /looked at/);
});

on("keys go from step to step", bank, async (page) => {
  const press = async (key, number) => {
    await page.keyboard.press(key);
    assert.match(await selected(page), new RegExp(`^Step ${number}\\b`), `after ${key}`);
  };
  await press("Home", 1);
  await press("ArrowDown", 2);
  await press("j", 3);
  await press("ArrowUp", 2);
  await press("End", 20);
  await press("ArrowLeft", 18);
  await press("ArrowRight", 20);
  await press("p", 19);
  await press("n", 20);
  await press("r", 10);
  await press("r", 16);
  await press("c", 17);
  await press("b", 20);
});

on("the search finds steps, and goes from one to the next", bank, async (page) => {
  await page.keyboard.press("/");
  await page.keyboard.type("withdraw counter");
  await page.getByText("4 found").or(page.getByText("4 of 4 found")).waitFor();
  assert.equal(await page.locator(".row.is-found").count(), 4);
  await page.keyboard.press("Enter");
  assert.match(await selected(page), /^Step 16/);
  await page.keyboard.press("Enter");
  assert.match(await selected(page), /^Step 18/);
  await page.keyboard.press("Shift+Enter");
  assert.match(await selected(page), /^Step 16/);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".row.is-found").count(), 0);
});

on("the search looks through fields and states", bank, async (page) => {
  const box = page.getByRole("searchbox");
  await box.fill("balance -20");
  await page.getByText("1 of 1 found").waitFor();
  await box.fill("withdraw clerk#1");
  await page.getByText("2 found", { exact: true }).waitFor();
  await box.fill("no such thing");
  await page.getByText("0 found").waitFor();
});

on("actors and events are filtered, and what is hidden is counted", bank, async (page) => {
  await page.getByText("Actors: all").click();
  await page.getByLabel(/Clerk#1/).uncheck();
  assert.equal(await page.locator(".lanes line.lane").count(), 3);
  assert.equal(await row(page, 7).count(), 0);
  assert.equal(await page.locator(".row.gap").first().innerText(), "2 steps not shown");
  await page.keyboard.press("Escape");
  await page.getByText("Events: all").click();
  await page.getByLabel(/PayOut/).uncheck();
  assert.equal(await row(page, 9).count(), 0);
  await page.getByRole("button", { name: /Show all/ }).click();
  assert.equal(await page.locator(".row.gap").count(), 0);
  assert.equal(await page.locator(".lanes line.lane").count(), 4);
});

on("a gap opens where it is clicked", bank, async (page) => {
  await page.getByText("Events: all").click();
  await page.getByLabel(/PayOut/).uncheck();
  await page.keyboard.press("Escape");
  await page.locator(".row.gap").first().click();
  assert.match(await said(row(page, 5)), /PayOut/);
});

on("only what may have led to a step is left", bank, async (page) => {
  await row(page, 7).click();
  await page.getByLabel("Show only what may have led to this step").check();
  const numbers = await page.locator(".row:not(.gap) .number").allInnerTexts();
  assert.deepEqual(numbers, ["1", "2", "3", "4", "5", "7"]);
  await page.keyboard.press("l");
  await page.locator(".row.gap").first().waitFor({ state: "detached" });
});

on("a nearest run that parts behind what is told says so", bankParted, async (page) => {
  assert.match(
    await page.locator("details.cause").innerText(),
    /does the same up to step 90, which is not shown here, and then: Account handles Balance/,
  );
});

on("the nearest passing run stands beside it", bankCompared, async (page) => {
  assert.match(
    await page.locator("details.cause").innerText(),
    /does the same up to step 8, and then: Account handles Balance from Clerk#1/,
  );
  await page.getByRole("button", { name: "Compare with the nearest passing run" }).click();
  const there = page.getByRole("listbox", { name: "Steps of the nearest passing run" });
  assert.match(await said(there.locator("#passing-8")), /Account handles Balance/);
  assert.match(await said(row(page, 9)), /Clerk#2 handles PayOut/);
  const differences = await page.locator(".differences").innerText();
  assert.match(differences, /same before step 9/);
  assert.match(differences, /Account\s+balance\s+-20\s+40/);
  assert.match(differences, /Account\s+refused\s+nothing\s+1/);
  const apart = await there.locator(".is-apart .number").allInnerTexts();
  assert.deepEqual(apart, ["9"], "where they part");
  await page.locator(".scroller").nth(1).evaluate((scroller) => {
    scroller.scrollTop = scroller.scrollHeight;
  });
  await there.locator("#passing-20.is-apart").waitFor();
  await there.locator("#passing-15").click();
  assert.equal(await there.locator(".is-selected").count(), 1);
  await page.getByRole("button", { name: "Compare with the nearest passing run" }).click();
  assert.equal(await there.count(), 0);
});

on("light and dark follow the system", bank, async (page) => {
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await back(), "rgb(22, 24, 29)");
  await page.getByRole("button", { name: "Light" }).click();
  assert.equal(await back(), "rgb(255, 255, 255)");
  await page.reload();
  assert.equal(await back(), "rgb(255, 255, 255)", "the choice is kept");
  await page.keyboard.press("t");
  assert.equal(await back(), "rgb(22, 24, 29)");
}, { colorScheme: "dark" });

on("the legend opens and closes by keyboard", bank, async (page) => {
  await page.keyboard.press("?");
  assert.match(await page.getByRole("dialog").innerText(), /How to read this page/);
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page.keyboard.press("?");
  assert.equal(await page.getByRole("dialog").count(), 1);
});

on("everything is reached with Tab", bank, async (page) => {
  await page.locator("body").click({ position: { x: 5, y: 5 } });
  const reached = new Set();
  for (let at = 0; at < 40; at++) {
    await page.keyboard.press("Tab");
    reached.add(
      await page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText),
    );
  }
  for (const wanted of ["Steps", "The selected step", "Dark", "Legend and keys", "Actors: all", "step 20"]) {
    assert.ok(reached.has(wanted), `${wanted} among ${[...reached].join(" | ")}`);
  }
});

on("a long story has no rows for steps that only send, unless they are asked for", () => ring(100), async (page) => {
  await page.keyboard.press("Home");
  const numbers = () => page.locator(".row .number").allInnerTexts();
  assert.deepEqual((await numbers()).slice(8, 14), ["9", "11", "13", "15", "17", "19"]);
  const arrow = page.locator(".message .way").first();
  assert.ok((await arrow.count()) > 0);
  await page.getByRole("button", { name: "Rows for sends" }).click();
  assert.deepEqual((await numbers()).slice(8, 14), ["9", "10", "11", "12", "13", "14"]);
  await page.keyboard.press("s");
  await row(page, 10).waitFor({ state: "detached" });
});

test("100 000 steps: drawn at once, scrolled to any place, and few elements", async () => {
  const page = await open(browser, ring(100_000));
  assert.match(await selected(page), /^Step 100000/);
  await page.keyboard.press("s");
  const elements = () => page.evaluate(() => document.querySelectorAll("*").length);
  assert.ok((await elements()) < 2500, `${await elements()} elements`);
  await page.keyboard.press("Home");
  assert.match(await said(row(page, 1)), /test starts/);
  await page.locator(".scroller").evaluate((scroller) => {
    scroller.scrollTop = scroller.scrollHeight / 2;
  });
  await row(page, 50_000).waitFor();
  await page.getByRole("searchbox").fill("hops: 33333");
  await page.keyboard.press("Enter");
  assert.match(await page.locator(".row.is-selected").innerText(), /33333/);
  await page.locator(".overview").click({ position: { x: 8, y: 300 } });
  assert.ok((await elements()) < 2500, `${await elements()} elements`);
  assert.ok((await page.locator(".row").count()) < 60);
  await page.keyboard.press("End");
  await page.keyboard.press("l");
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("a story longer than any element may be is scrolled to its end all the same", async () => {
  const page = await open(browser, ring(400_000, 2));
  await page.keyboard.press("s");
  await page.keyboard.press("Home");
  await row(page, 1).waitFor();
  await page.locator(".scroller").evaluate((scroller) => {
    scroller.scrollTop = scroller.scrollHeight;
  });
  await row(page, 400_000).waitFor();
  const box = await row(page, 400_000).boundingBox();
  const view = await page.locator(".scroller").boundingBox();
  assert.ok(box.y + box.height <= view.y + view.height + 1, "the last row is in sight");
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});
