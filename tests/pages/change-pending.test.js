/** Edits whose parameters are still on their way: undone, refused, or overtaken. */

import assert from "node:assert/strict";
import test from "node:test";
import { Gate, fieldOf, isTyped, openTyped, redo, undo } from "./support/changes.js";
import { ATTENTION } from "./support/explore.js";
import { full } from "./support/full.js";

const SMALL = "/?text=a%20b%20c&d_model=4&num_heads=2&cell=w_q.0.0";
const BUSY = { title: "Busy", detail: "Wait a moment.", status: 429, code: "busy" };
const QUESTIONS = new RegExp(`^${ATTENTION}$`);

/** A small question with a number that can be typed, and the fields of its model. */
async function openSmall(t) {
  const page = await openTyped(t, SMALL);
  // The drawer is open from now on: reading the model moves no focus.
  return { page, model: await page.field("Model"), seed: await page.field("seed") };
}

/** Asks with another seed, whose parameters are not known: the number that can be typed. */
async function reseed(page, field, seed) {
  const { value } = fieldOf(page);
  await page.ask(() => page.fill(field, seed));
  await page.until(() => {
    assert.equal(page.document.body.dataset.status, "ready");
    assert.ok(!["", value].includes(fieldOf(page).value));
  });
  return fieldOf(page).value;
}

/** Holds the parameters. */
const hold = (page) => new Gate(page, QUESTIONS, ({ body }) => "parameters" in body);

/** Lets the parameters come: the same request, sent afterwards, has its reply as well. */
async function arrive(page, gate) {
  const question = { ...page.question(), parameters: true };
  gate.open();
  await page.answer(question);
}

/** Types into the number by key, without another wait. */
async function type(page, text) {
  await page.user.click(fieldOf(page));
  await page.user.keyboard(text);
}

/** Waits until a field of the options says something. */
const holds = (page, field, value) => page.until(() => assert.equal(field.value, value));

const WAYS = {
  Escape: (page) => page.user.keyboard("{Escape}"),
  "Ctrl + Z": (page) => page.user.keyboard("{Control>}z{/Control}"),
  "the button": undo,
};

test("an edit on its way is undone, and nothing else", async (t) => {
  const { page, model, seed } = await openSmall(t);
  for (const [at, [way, act]] of Object.entries(WAYS).entries()) {
    const own = String(at + 1);
    const was = await reseed(page, seed, own);
    const before = page.question();
    const gate = hold(page);
    await type(page, "0.5");
    await gate.reached();
    await act(page);
    await isTyped(page, was);
    await arrive(page, gate);
    assert.equal(seed.value, own, way);
    await undo(page);
    await holds(page, seed, String(at));
    await redo(page);
    await holds(page, seed, own);
    await page.shows(before, ["q", "weights"]);
    await isTyped(page, was);
    assert.equal(model.value, "seeded", way);
  }
});

full("what is typed meanwhile is one step, and the words are kept", async (t) => {
  const { page, model } = await openSmall(t);
  const gate = hold(page);
  await type(page, "0.5");
  await gate.reached();
  await page.fill(page.sentence, "h i");
  gate.open();
  await holds(page, model, "explicit");
  await isTyped(page, "0.5");
  assert.equal(page.sentence.value, "h i");
  await page.until(() => assert.equal(page.question().model.source, "explicit"));
  assert.equal(page.question().text, "h i");
  await page.shows(page.question(), ["q", "weights"]);
  await undo(page);
  await holds(page, model, "seeded");
  assert.equal(page.sentence.value, "h i");
});

for (const act of ["source", "seed"])
  test(`a later choice of the model is not overridden: its ${act}`, async (t) => {
    const { page, model, seed } = await openSmall(t);
    const gate = hold(page);
    await page.fill(fieldOf(page), "0.5");
    await gate.reached();
    const choose = () => (act === "source" ? page.choose(model, "crafted") : page.fill(seed, "77"));
    const body = await page.ask(choose);
    await arrive(page, gate);
    await page.shows(body);
    assert.equal(model.value, act === "source" ? "crafted" : "seeded");
    assert.deepEqual(page.question(), body);
  });

const FAILURES = [
  [() => Promise.reject(new TypeError("Failed to fetch")), "The server does not answer."],
  [() => Response.json(BUSY, { status: 429 }), BUSY.detail],
];

full("an edit without its parameters says so and is not shown", async (t) => {
  const { page, model, seed } = await openSmall(t);
  const notice = page.one("#notice");
  for (const [at, [fail, words]] of FAILURES.entries()) {
    const was = await reseed(page, seed, String(at + 1));
    page.route(QUESTIONS, fail);
    await type(page, "0.5");
    await page.until(() => assert.ok(notice.checkVisibility() && notice.textContent.includes(words)));
    await isTyped(page, was);
    assert.equal(model.value, "seeded");
    page.unroute();
    await page.ask(() => page.user.keyboard("7"));
    await page.until(() => assert.ok(!notice.textContent.includes(words)));
    await isTyped(page, "7");
    await undo(page);
    await holds(page, model, "seeded");
    await isTyped(page, was);
    assert.equal(page.sentence.value, "a b c");
  }
});
