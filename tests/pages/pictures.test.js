/** Stages as pictures: every cell has the colour of its number, and the legend and the formula agree with it. */

import assert from "node:assert/strict";
import test from "node:test";
import { alike, pictureOf, stageCells } from "./support/cells.js";
import { ATTENTION, openExplore } from "./support/explore.js";
import { full } from "./support/full.js";

const STAGES = "x q k v scores scaled_scores masked_scores weights head_outputs concat output".split(" ");
const FIRST = { layer: 0, head: 0, batch: 0 };

const numbersOf = (reply, stage) =>
  stageCells(reply, stage, FIRST)
    .flat()
    .filter((value) => value !== null);
const sizeOf = (reply, stage) => Math.max(...numbersOf(reply, stage).map(Math.abs));
const brief = (value) => String(Number(value.toFixed(2)));
const formula = (page, stage) => page.one("math", page.card(stage)).textContent;
const legend = (page, stage) => page.one(".legend", page.card(stage));
const isMaskNamed = (page, stage) => page.one(".masked", legend(page, stage)).checkVisibility();

/** The numbers at the ends of a legend, as they are seen. */
function endsOf(page, stage) {
  const ends = page.all(":is(.low, .middle, .high)", legend(page, stage));
  return ends.filter((end) => end.checkVisibility()).map((end) => end.textContent);
}

/** The colour in each cell, and how far two colours are from each other. */
const rgb = (page, stage) => pictureOf(page.canvas(stage)).map((line) => line.map((cell) => cell.slice(0, 3)));
const apart = (one, other) => Math.max(...one.map((value, at) => Math.abs(value - other[at])));

/** A color of the page's table. @param {"sequential" | "diverging"} use @param {number} index from the end if negative */
function stop(page, use, index) {
  const hex = page.pageData().colors.light[use].match(/.{6}/g).at(index);
  return hex.match(/../g).map((byte) => parseInt(byte, 16));
}

test("the page asks the default question once and draws every stage of its answer", async (t) => {
  const page = await openExplore(t);
  const body = page.question();
  assert.equal(page.asked.filter(({ path }) => path === ATTENTION).length, 1);
  assert.equal(body.text, "The animal didn't cross the street because it was too tired.");
  assert.equal(body.model.source, "seeded");
  assert.equal(page.sentence.value, body.text);
  const reply = await page.shows(body, STAGES);
  for (const stage of STAGES) {
    assert.ok(new Set(pictureOf(page.canvas(stage)).flat().map(String)).size > 10, `${stage} is blank`);
    assert.ok(page.in(page.card(stage)).getByRole("heading"));
    assert.equal(page.all("math", page.card(stage)).length, 1);
  }
  const size = brief(sizeOf(reply, "q"));
  const [low, ...others] = endsOf(page, "q");
  assert.deepEqual([low, others.at(-1)], [`−${size}`, size]);
  assert.equal(page.one(".masked", legend(page, "weights")).textContent, "masked");
});

full("another seed is drawn in every stage, and the legend of masked scores is that of the scaled ones", async (t) => {
  const page = await openExplore(t);
  const before = new Map(STAGES.map((stage) => [stage, pictureOf(page.canvas(stage))]));
  const seed = await page.field("seed");
  for (const value of [7, 2, 3]) {
    // 2 and 3: the mask closes their largest scores
    const body = await page.ask(() => page.fill(seed, String(value)));
    assert.equal(body.model.seed, value);
    const reply = await page.shows(body, STAGES);
    for (const stage of ["scaled_scores", "masked_scores"])
      assert.equal(page.one(".high", legend(page, stage)).textContent, brief(sizeOf(reply, "scaled_scores")));
  }
  for (const stage of STAGES) assert.ok(!alike(pictureOf(page.canvas(stage)), before.get(stage)), stage);
});

test("zero has the middle colour, and the sign decides the side", async (t) => {
  const page = await openExplore(t);
  await page.ask(async () => page.choose(await page.field("Model"), "explicit"));
  await page.click(await page.in(page.one("#options")).findByRole("button", { name: "Edit…" }));
  const dialog = await page.see("dialog[open]");
  const x = page.in(dialog).getByRole("textbox", { name: "x" });
  const body = await page.ask(() => page.fill(x, "1 0 0 0\n0 -1 0 0\n0 0 2 0\n0 0 0 -2"));
  await page.click(page.button("Done", dialog));
  await page.shows(body, ["x", "scores"]);
  const found = rgb(page, "x");
  const [least, most] = [stop(page, "diverging", 0), stop(page, "diverging", -1)];
  const middle = Math.floor(page.pageData().colors.light.diverging.length / 12);
  assert.ok(apart(found[0][1], stop(page, "diverging", middle)) <= 4);
  assert.ok(apart(found[2][2], most) <= 2);
  assert.ok(apart(found[3][3], least) <= 2);
  assert.ok(apart(found[0][0], most) < apart(found[0][0], least));
});

test("legends and formulas have a mask where a cell is masked", async (t) => {
  const page = await openExplore(t);
  const found = () => [
    isMaskNamed(page, "masked_scores"),
    isMaskNamed(page, "weights"),
    formula(page, "masked_scores").includes("∞"),
  ];
  assert.deepEqual(found(), [true, true, true]);
  await page.open("/?causal=false&text=the cat saw it");
  assert.deepEqual(found(), [false, false, false]);
  await page.open("/?causal=false&text=the cat saw it%0Aa cat"); // the second text is padded
  assert.deepEqual(found().slice(1), [false, true]);
  await page.open("/?causal=false&batch=1&text=the cat saw it%0Aa cat");
  assert.equal(isMaskNamed(page, "weights"), true);
});

full("formulas have a bias where the model has one", async (t) => {
  const page = await openExplore(t);
  const withBias = () => ["q", "k", "v", "output"].map((stage) => formula(page, stage).includes("+"));
  assert.deepEqual(withBias(), [false, false, false, false]);
  await page.more();
  await page.ask(async () => page.click(await page.field("biases")));
  await page.until(() => assert.deepEqual(withBias(), [true, true, true, true]));
});

full("many keys have the root scale, and the legend says so", async (t) => {
  const page = await openExplore(t);
  assert.deepEqual(endsOf(page, "weights"), ["0", "1"]);
  const range = page.one("select", legend(page, "weights"));
  assert.equal(range.value, "auto");
  const body = await page.ask(() => page.fill(page.sentence, "the cat saw it ".repeat(20)));
  await page.shows(body);
  assert.ok(new Set(rgb(page, "weights").flat().map(String)).size > 20);
  assert.deepEqual(endsOf(page, "weights"), ["0", "0.25", "1, √"]);
  const root = pictureOf(page.canvas("weights"));
  await page.choose(range, "0 to 1 always");
  await page.until(() => assert.deepEqual(endsOf(page, "weights"), ["0", "1"]));
  await page.until(() => assert.ok(!alike(pictureOf(page.canvas("weights")), root)));
  await page.addressHas("range=fixed");
});

full("weights can be stretched to the largest of each row", async (t) => {
  const page = await openExplore(t);
  const choice = page.in(page.card("weights")).getByLabelText("Range of the colours");
  await page.choose(choice, "0 to each row’s largest");
  const highest = stop(page, "sequential", -1);
  await page.until(() =>
    rgb(page, "weights").forEach((row, at) =>
      assert.ok(Math.min(...row.map((cell) => apart(cell, highest))) <= 2, `no cell of row ${at} is the strongest`),
    ),
  );
});
