/** Changed questions that are too long for an address: it names their trace, and a reload brings them back. */

import assert from "node:assert/strict";
import test from "node:test";
import { Gate, isTyped, openTyped, type, typed } from "./support/changes.js";
import { full } from "./support/full.js";

const LARGE = "/?text=a%20cat%20sat&d_model=24&cell=w_q.3.5"; // 4 × 24 × 24 numbers

/** Changes a number of a seeded model, and waits for the trace in the address. */
async function longQuestion(t, address = LARGE) {
  const page = await openTyped(t, address);
  const before = page.question();
  const body = await type(page, "9");
  return { page, before, body, trace: await traceIn(page, body) };
}

/** Waits until the address names the trace of a question. */
async function traceIn(page, body) {
  const { trace } = await page.answer(body);
  await page.addressHas(`t=${trace}`);
  return trace;
}

/** What a reload requests. jsdom begins a new history with it: the earlier address is put back as its first entry. */
function reload(page, earlier) {
  return page.ask(async () => {
    const { address } = page;
    await page.reload();
    if (earlier === undefined) return;
    page.window.history.replaceState(null, "", earlier);
    page.window.history.pushState(null, "", address);
  });
}

test("a question too long for an address is kept by its trace, and comes back after a reload", async (t) => {
  const { page, before, body } = await longQuestion(t, `${LARGE}&precision=4`);
  assert.ok(page.window.location.href.length < 300);
  const second = await type(page, "8");
  await page.shows(second, ["q", "weights"]);
  await traceIn(page, second);
  assert.deepEqual(await reload(page, `${LARGE}&precision=4`), second);
  await page.shows(second, ["q", "weights"]);
  await isTyped(page, "8");
  assert.deepEqual(await page.ask(() => page.back()), before);
  assert.notDeepEqual(body, second);
});

full("another sentence is typed with large weights that were changed", async (t) => {
  const { page, body } = await longQuestion(t);
  const other = await page.ask(() => page.fill(page.sentence, "A cat sat down."));
  assert.deepEqual(other, { ...body, text: "A cat sat down." });
  await page.shows(other, ["x", "q", "weights", "output"]);
  await traceIn(page, other);
  assert.deepEqual(await reload(page), other);
  assert.equal(page.sentence.value, "A cat sat down.");
});

full("a question that is kept has its trace in the address however it was typed", async (t) => {
  const { page, body, trace } = await longQuestion(t);
  await page.fill(page.sentence, `${body.text}\n`); // an empty line more asks the same
  await page.addressHas(`t=${trace}`);
  await page.ask(() => page.fill(page.sentence, "A cat sat."));
  await page.addressLacks(trace);
  await page.fill(page.sentence, body.text); // its answer is remembered
  await page.addressHas(`t=${trace}`);
  assert.deepEqual(await reload(page), body);
});

for (const refused of ["empty", "heads"])
  full(`a reload keeps a long question that has no answer: ${refused}`, async (t) => {
    const { page, body } = await longQuestion(t);
    if (refused === "empty") await page.fill(page.sentence, "");
    else await page.fill(await page.field("heads"), "7");
    await page.addressHas("t=new-");
    await page.reload();
    await page.until(() => assert.equal(page.sentence.value, refused === "empty" ? "" : body.text));
    if (refused === "heads") {
      const heads = await page.field("heads");
      assert.equal(heads.value, "7");
      assert.deepEqual(await page.ask(() => page.fill(heads, "4")), body);
    }
    const again = await page.ask(() => page.fill(page.sentence, "A cat"));
    assert.deepEqual(again, { ...body, text: "A cat" });
  });

full("steps that are overtaken before their answer come back after a reload", async (t) => {
  const { page } = await longQuestion(t);
  const gate = new Gate(page); // no answer comes
  const addresses = [];
  for (const number of ["8", "7"]) {
    await page.fill(await typed(page), number);
    await page.user.keyboard("{Enter}");
    await page.until(() => assert.ok(/t=new-/.test(page.address) && !addresses.includes(page.address)));
    addresses.push(page.address);
  }
  gate.open();
  const again = await reload(page, addresses[0]);
  assert.equal(again.model.w_q[3][5], 7);
  page.back();
  await isTyped(page, "8");
});

full("going back after a reload restores a question that was kept", async (t) => {
  const { page, body, trace } = await longQuestion(t);
  const kept = page.address;
  const mask = await page.field("Mask");
  const masked = await page.ask(() => page.choose(mask, "none"));
  await traceIn(page, masked);
  await reload(page, kept);
  assert.deepEqual(await page.ask(() => page.back()), body);
  await page.shows(body, ["q", "weights"]);
  await page.addressHas(`t=${trace}`);
  await isTyped(page, "9");
});

test("an answer that comes after going back leaves the address alone", async (t) => {
  const { page, body, trace } = await longQuestion(t);
  const kept = page.address;
  const mask = await page.field("Mask");
  await traceIn(page, await page.ask(() => page.choose(mask, "none")));
  const answers = new Gate(page);
  await reload(page, kept);
  const opened = new Gate(page, new RegExp(`^/api/v1/traces/${trace}/question`));
  page.back();
  await Promise.all([answers.reached(), opened.reached()]);
  answers.open();
  await page.see('[data-stage="weights"] canvas[data-layer][data-head]');
  await page.addressHas(`t=${trace}`);
  assert.deepEqual(await page.ask(() => opened.open()), body);
  await isTyped(page, "9");
});
