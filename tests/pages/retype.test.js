/** Tokens that are replaced where they stand. */

import assert from "node:assert/strict";
import test from "node:test";
import { Gate, chip, numbers, retype, undo } from "./support/changes.js";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";

const DEFAULT = "The animal didn't cross the street because it was too tired.";
const NAMED = { x: [[1, 0], [0, 1]], tokens: ["a", "b"] }; // prettier-ignore

test("a token is replaced where it stands, and stays one though words would cut it apart", async (t) => {
  const page = await openExplore(t);
  const body = await retype(page, "animal", "cat");
  assert.equal(body.text, DEFAULT.replace("animal", "cat"));
  assert.equal(page.sentence.value, body.text);
  await page.addressLacks("picked");
  await page.shows(body, ["x", "weights", "output"]);
  await undo(page);
  await page.until(() => assert.equal(page.sentence.value, DEFAULT));

  const apart = await retype(page, "it", "the cat");
  assert.equal(apart.tokens[7], "the cat");
  assert.equal(apart.tokens.length, 12);
  assert.equal("text" in apart, false);
  const [x] = await numbers(page, apart, "x");
  const [was] = await numbers(page, { ...apart, tokens: null, text: DEFAULT }, "x");
  const changed = x.flatMap((row, at) => (row.some((value, col) => value !== was[at][col]) ? [at] : []));
  assert.deepEqual(changed, [7]);
});

full("a token of a batch is replaced, and its other texts stay", async (t) => {
  const page = await openExplore(t, "/?text=%E7%8C%AB%E5%9D%90%E7%9D%80%0A%0Aa%20dog%20sat.%0Ab&batch=1");
  const first = await retype(page, "dog", "cat");
  assert.deepEqual(first.text, ["猫坐着", "a cat sat.", "b"]);
  const batch = page.in().getByLabelText("Sentence of the batch");
  await page.choose(batch, "0");
  const apart = await retype(page, "猫", "小狗");
  assert.deepEqual(apart.tokens, [["小狗", "坐", "着"], ["a", "cat", "sat", "."], ["b"]]); // prettier-ignore
  const again = await retype(page, "坐", "跑");
  assert.deepEqual(again.tokens[0], ["小狗", "跑", "着"]);
});

test("a token of the context is replaced", async (t) => {
  const page = await openExplore(t, "/?text=a%20b&context=red%20blue%20green");
  const body = await retype(page, "blue", "grey");
  assert.deepEqual([body.text, body.context], ["a b", "red grey green"]);
});

full("a token that is pressed while an answer is awaited is typed when it comes", async (t) => {
  const page = await openExplore(t);
  const gate = new Gate(page);
  const seed = await page.field("seed");
  await page.fill(seed, "3");
  await gate.reached();
  await page.user.dblClick(chip(page, "animal"));
  assert.equal(page.one(".retype"), null);
  gate.open();
  const field = await page.see(".retype");
  assert.equal(page.document.activeElement, field);
  await page.fill(field, "dog");
  // Another answer with the same token there takes nothing away that is being typed.
  const mask = await page.field("Mask");
  mask.value = [...mask.options].find(({ label }) => label === "none").value;
  const body = await page.ask(() => mask.dispatchEvent(new page.window.Event("change", { bubbles: true })));
  await page.shows(body, ["masked_scores"]);
  assert.equal(field.value, "dog");
  assert.equal(page.document.activeElement, field);
  const { text } = await page.ask(() => page.user.keyboard("{Enter}"));
  assert.equal(text, DEFAULT.replace("animal", "dog"));
});

test("F2 opens the pressed token, and Enter that accepts a composition leaves it open", async (t) => {
  const page = await openExplore(t);
  await page.until(() => assert.ok(chip(page, "animal")));
  await page.click(chip(page, "animal"));
  await page.user.keyboard("{F2}");
  const field = await page.see(".retype");
  assert.equal(field.value, "animal");
  const type = (more) =>
    field.dispatchEvent(new page.window.KeyboardEvent("keydown", { key: "Enter", bubbles: true, ...more }));
  type({ isComposing: true });
  type({ keyCode: 229 }); // as Safari reports it after the composition
  assert.ok(field.isConnected);
  type({});
  assert.ok(!field.isConnected);
});

full("names of given numbers are not replaced", async (t) => {
  const page = await openExplore(t, `/?d_model=2&num_heads=1#${encodeURIComponent(JSON.stringify(NAMED))}`);
  const press = () => page.user.dblClick(chip(page, "a"));
  for (const act of [press, () => page.user.keyboard("{F2}")]) {
    page.one("#tokens .chips").focus();
    await act();
    const note = await page.see(".note");
    assert.match(note.textContent, /its tokens are names alone/);
    page.one("#tokens .chips").focus();
    await page.user.keyboard("{ArrowRight}");
    await page.until(() => assert.equal(page.one(".note"), null));
  }
});
