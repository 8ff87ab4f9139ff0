/** Numbers of x and of the parameters that are typed, and the question they make. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { numbers, type, typed, undo } from "./support/changes.js";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";

const SMALL = "/?text=a%20b%20c&d_model=4&num_heads=2";
const X = [12, 64];
const MAPS = ["scores", "scaled_scores", "masked_scores", "weights"];
const STAGES = ["x", "q", "k", "v", ...MAPS, "head_outputs", "concat", "output"];

/** Asserts that every stage is the same in the answers to two questions. */
async function sameNumbers(page, one, other, stages = STAGES) {
  const [{ layers: a }, { layers: b }] = await Promise.all([page.answer(one), page.answer(other)]);
  for (const stage of stages) assert.deepEqual(a[0][stage], b[0][stage], stage);
}

/** The parameters of the first layer. */
async function parameters(page, body) {
  return (await page.answer({ ...body, parameters: true })).layers[0].parameters;
}

describe("change", () => {
  const visit = onePage();

  /** The page at an address that pins a number, once it can be typed. */
  async function openTyped(address) {
    const page = await visit(address);
    await typed(page);
    return page;
  }

  test("a number of x is typed and all that follows is computed from it", async () => {
    const page = await visit();
    const before = page.question();
    await page.pick("x", [3, 5], X);
    const body = await type(page, "4");
    const [was] = await numbers(page, before, "x");
    assert.equal(body.x[3][5], 4);
    assert.deepEqual(body.x.with(3, body.x[3].with(5, was[3][5])), was);
    assert.equal(body.tokens[3], "cross");
    assert.deepEqual(body.model, before.model);
    await page.shows(body, ["x", "q", "k", "v", "weights", "output"]);
    await page.until(() => assert.ok(page.inspector.textContent.includes("4.000")));
  });

  test("a text that is no number is marked, and a comma is read as a point", async () => {
    const page = await visit(`${SMALL}&cell=x.1.2`);
    const field = await typed(page);
    const box = page.one("#number");
    for (const text of ["0x10", "1e999", "many", "1,2,3"]) {
      await page.fill(field, text);
      assert.equal(field.getAttribute("aria-invalid"), "true", text);
      page.in(box).getByText(/That is no number/);
      field.blur();
      assert.equal(field.hasAttribute("aria-invalid"), false);
    }
    const body = await page.ask(() => page.fill(field, "1,5"));
    assert.equal(body.x[1][2], 1.5);
    await page.until(() => assert.ok(!box.textContent.includes("That is no number")));
  });

  test("a number of x can be typed with every kind of positions", async () => {
    const formula = (page) => page.one(".formula", page.card("x")).textContent;
    for (const positions of ["sinusoidal", "rotary", "alibi"]) {
      const page = await visit(`${SMALL}&positions=${positions}&cell=x.1.2`);
      assert.equal(formula(page), positions === "sinusoidal" ? "X=E+P" : "X=E");
      const body = await type(page, "4");
      assert.equal(body.model.positions, positions);
      await page.shows(body, ["x", "q", "weights"]);
      assert.equal(formula(page), "X");
    }
  });

  full("a number of a seeded matrix makes the weights explicit", async () => {
    const page = await openTyped(`${SMALL}&bias=true&cell=w_k.1.2&head=1`);
    const before = page.question();
    const body = await type(page, "−1.5");
    const was = await parameters(page, before);
    assert.equal(body.model.source, "explicit");
    assert.equal(body.model.w_k[1][2], -1.5);
    const w_k = body.model.w_k.with(1, body.model.w_k[1].with(2, was.w_k[1][2]));
    const back = { ...body, model: { ...body.model, w_k } };
    assert.deepEqual(Object.fromEntries(Object.keys(was).map((name) => [name, back.model[name]])), was);
    assert.equal(body.text, before.text);
    await sameNumbers(page, back, before, ["x", "weights", "output"]);
    await page.shows(body, ["k", "weights", "output"], { head: 1 });
    assert.equal((await page.field("Model")).value, "explicit");
  });

  for (const positions of ["none", "sinusoidal", "rotary", "alibi"])
    test(`words stay words when a weight is changed, and others are typed: positions ${positions}`, async () => {
      const page = await openTyped(`${SMALL}&positions=${positions}&seed=3&cell=w_q.0.0`);
      const before = page.question();
      const body = await type(page, "2");
      assert.deepEqual([body.text, "x" in body, "tokens" in body], ["a b c", false, false]);
      assert.deepEqual([body.model.seed, body.model.positions], [3, positions]);
      const { w_q } = await parameters(page, before);
      await sameNumbers(page, { ...body, model: { ...body.model, w_q } }, before);
      assert.equal(page.sentence.value, "a b c");
      const next = await page.ask(() => page.fill(page.sentence, "d e f g"));
      assert.deepEqual(next, { ...body, text: "d e f g" });
      await page.shows(next, ["x", "q", "weights", "output"]);
    });

  full("sentences of different lengths keep their words when a weight is changed", async () => {
    const page = await openTyped("/?text=a%20b%0Ac%20d%20e&context=f%0Ag%20h&d_model=4&num_heads=2&cell=w_q.0.0");
    const body = await type(page, "1");
    assert.deepEqual(body.text, ["a b", "c d e"]);
    assert.deepEqual(body.context, ["f", "g h"]);
    await page.shows(body, ["x", "q", "weights", "output"]);
  });

  test("a refused change is taken back", async () => {
    const page = await visit("/?text=a%20b%20c&d_model=16");
    const first = page.question();
    const heads = await page.field("heads");
    await page.ask(() => page.fill(heads, "5"));
    const alerts = () => page.all("[role=alert]").map(({ textContent }) => textContent);
    await page.until(() => assert.ok(alerts().some((text) => text.includes("16"))));
    await undo(page);
    await page.shows(first);
    assert.equal(heads.value, "4");
  });
});
