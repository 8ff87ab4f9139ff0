/** The computation step by step: each chapter shows the numbers that the API sends, at any moment of it. */

import assert from "node:assert/strict";
import test from "node:test";
import { stageCells, written } from "./support/cells.js";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";

const [QUERY, KEY] = [7, 1]; // it, animal
const CLOSE = 6e-4; // three decimals are shown
const KINDS = [
  "text=我爱北京&lang=zh",
  "source=crafted&name=all",
  "num_heads=4&num_kv_heads=2&num_layers=2&layer=1&head=3&temperature=0.5",
  "output_projection=false&scale=none",
  "blocked=7.0_7.1_7.2_7.3_7.4_7.5_7.6_7.7&cell=weights.7.1",
  "text=a%20b%0Ac%20d%20e&batch=1",
];

async function openAt(t, step, more = "", options = {}) {
  const page = await openExplore(t, `/?step=${step}${more}`, options);
  const stepper = await page.see("#stepper");
  const reply = await page.answer();
  const cells = (stage, head = 0) => stageCells(reply, stage, { layer: 0, head, batch: 0 });
  return { page, stepper, cells };
}

/** Waits until elements say these numbers. @param {any} page @param {() => any[]} elements @param {number[]} wanted */
function says(page, elements, wanted) {
  return page.until(() => {
    const found = elements().map(({ textContent }) => Number(textContent.replace(/[^\d.−]/g, "").replace("−", "-")));
    assert.equal(found.length, wanted.length);
    found.forEach((number, at) => assert.ok(Math.abs(number - wanted[at]) < CLOSE, `${found}: ${wanted}`));
  });
}

const sums = (page, value) =>
  page.until(() => assert.equal(page.one("#stepper output").textContent, `Σ = ${written(value)}`));
const terms = (page, selector) => page.all(`#stepper .terms li:not(.more) ${selector}`);
const add = (values) => values.reduce((sum, value) => sum + value, 0);

test("a dot product is shown with its real operands, and its sum grows and shrinks with time", async (t) => {
  const { page, stepper, cells } = await openAt(t, "scores.55");
  const [q, k] = [cells("q")[QUERY], cells("k")[KEY]];
  const products = q.map((value, at) => value * k[at]);
  const score = cells("scores")[QUERY][KEY];
  const halfway = add(products.slice(0, Math.floor(((0.55 - 0.1) / 0.84) * 16)));
  await sums(page, halfway);
  const scrub = page.in(stepper).getByRole("slider", { name: "Moment of the computation" });
  const before = scrub.value;
  await page.fill(scrub, "21.5");
  await sums(page, score);
  assert.equal(products.length, 16);
  await says(page, () => terms(page, ".chip"), q.flatMap((value, at) => [value, k[at]])); // prettier-ignore
  await says(page, () => terms(page, "b"), products);
  assert.match(page.one(".words", stepper).textContent, /“it” look for what “animal” offers/);
  assert.ok(page.one(".words", stepper).textContent.includes(written(score)));
  await page.fill(scrub, before);
  await sums(page, halfway);
  await page.addressHas("step=scores.55");
});

test("a step that no chapter has is shown, and leaves the address", async (t) => {
  const page = await openExplore(t, "/?step=softmax.50&text=a%20cat");
  await page.until(() => assert.match(page.one(".ignored").textContent, /step=softmax\.50/));
  await page.addressLacks("step");
  assert.equal(page.one("#stepper").checkVisibility(), false);
});

test("a softmax divides each exp by their sum", async (t) => {
  const { page, cells } = await openAt(t, "weights.100", "&cell=weights.5.2");
  const [scores, weights] = ["masked_scores", "weights"].map((stage) => cells(stage)[5].slice(0, 6));
  const exps = scores.map((score) => Math.exp(score - Math.max(...scores)));
  await says(page, () => terms(page, "b"), exps);
  await says(page, () => terms(page, ".chip:last-child"), weights);
  await sums(page, add(exps));
});

full("values are weighed, and the output mixes the heads", async (t) => {
  const { page, cells } = await openAt(t, "head_outputs.100", "&head=2");
  await sums(page, cells("head_outputs", 2)[QUERY][0]);
  await page.open("/?step=output.100&bias=true&cell=output.3.5");
  const mixed = stageCells(await page.answer(), "output", { layer: 0, head: 0, batch: 0 })[3][5];
  await page.until(() => assert.equal(terms(page, "b").length, 16));
  await sums(page, mixed);
  assert.match(page.one("#stepper .more").textContent, /^48 more/);
});

test("a closed cell says that it is closed", async (t) => {
  const { page, stepper } = await openAt(t, "masked_scores.100", "&cell=weights.1.5");
  await page.until(() => assert.match(page.one(".words", stepper).textContent, /“animal” may not look at “street”/));
  assert.equal(page.one(".closed", stepper).textContent, "−∞");
});

full("the mask shows a closed neighbour too, on its way to a weight of 0 %", async (t) => {
  const { page, stepper, cells } = await openAt(t, "masked_scores.100", "&cell=weights.1.0");
  const [open, shut] = [0, 2].map((key) => written(cells("scaled_scores")[1][key]));
  const rows = () => page.all("#stepper .scenes > .equation").map(({ textContent }) => textContent);
  await page.until(() => assert.equal(rows().length, 2));
  const [first, second] = rows();
  for (const said of ["The", open, "open"]) assert.ok(first.includes(said), first);
  for (const said of ["didn", shut, "closed", "−∞", "softmax", "0 %"]) assert.ok(second.includes(said), second);
  assert.match(page.one(".words", stepper).textContent, /“didn't” is closed to it: that score becomes −∞/);
  await page.open("/?step=masked_scores.100&causal=false");
  await page.until(() => assert.equal(page.all("#stepper .scene.equation").length, 1));
  assert.doesNotMatch(page.one("#stepper .words").textContent, /closed/);
});

full("the scale says why, with a link to its chapter; turns and norms are called by name", async (t) => {
  const { page, stepper } = await openAt(t, "scaled_scores.100");
  const words = () => page.one(".words", stepper).textContent;
  await page.until(() => assert.match(words(), /A score is a sum of 16 products, and such sums spread like √d_k/));
  const link = page.in(stepper).getByRole("link", { name: "Chapter: why divide by √d_k" });
  assert.equal(link.getAttribute("href"), "/learn/scaling");
  await page.open("/?step=scaled_scores.100&scale=none");
  await page.until(() => assert.match(page.one("#stepper .words").textContent, /^The score is multiplied by 1/));
  await page.open("/?step=project.100&positions=rotary&block=pre_norm");
  await page.until(() => assert.match(page.one("#stepper .words").textContent, /Rotary positions \(RoPE\) then turn/));
  assert.match(page.one("#stepper .words").textContent, /^The layer first norms each row of x/);
  assert.ok(page.one("#stepper .lesson").hidden);
});

test("the explained cell lights up in its card", async (t) => {
  const { page, stepper } = await openAt(t, "scores.50");
  const readout = (stage) => page.one(".readout", page.card(stage));
  const reads = (stage) => page.until(() => assert.match(readout(stage).textContent, /it → animal/));
  await reads("scores");
  await page.click(page.button("Softmax", stepper));
  await reads("weights");
  assert.equal(readout("scores").checkVisibility(), false);
});

full("under reduced motion a chapter is at its end at once", async (t) => {
  const { page, cells } = await openAt(t, "scores.1", "", { media: ["(prefers-reduced-motion: reduce)"] });
  await sums(page, cells("scores")[QUERY][KEY]);
});

full("every chapter tells of every kind of model", async (t) => {
  const page = await openExplore(t, null);
  for (const question of KINDS) {
    await page.open(`/?step=project.100&${question}`);
    const buttons = page.all("#stepper .chapters button");
    assert.equal(buttons.length, 10);
    for (const button of buttons) {
      button.click();
      await page.until(() => assert.equal(button.getAttribute("aria-current"), "step"));
      assert.equal(page.all("#stepper [aria-current=step]").length, 1);
      const words = page.one("#stepper").textContent;
      assert.ok(page.one("#stepper .words").textContent, question);
      assert.doesNotMatch(words, /NaN|undefined|\{|tell\./, question);
    }
  }
});

test("a press opens it for the keys, in browsers too that give a pressed button no focus", async (t) => {
  const page = await openExplore(t, "/");
  (await page.see("#play button:not(:disabled)")).click();
  const stepper = await page.see("#stepper:not([hidden])");
  await page.until(() => assert.equal(page.document.activeElement, stepper));
});
