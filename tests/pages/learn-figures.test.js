/** The figures of a chapter: turned by their knobs, lit by the words beside them, asked with a sentence of one's own. */

import assert from "node:assert/strict";
import test from "node:test";
import { alike, cellColors, pictureOf, stageCells } from "./support/cells.js";
import { openChapter } from "./support/chapter.js";
import { ATTENTION } from "./support/explore.js";
import { full } from "./support/full.js";

const OWN = "A sentence of my own";
const EXPLORE = { name: "Open in Explore" };

/** Waits until a figure's weights are those of the question that an act sends. */
async function changesWeights(page, figure, act) {
  const { body } = await page.request(act, ({ path }) => path === ATTENTION);
  const reply = await page.json(ATTENTION, body);
  const { layer = 0, head = 0 } = page.data.figures[figure].look;
  const wanted = cellColors(stageCells(reply, "weights", { layer, head, batch: 0 }), null, page.data.colors.light);
  await page.until(() => assert.ok(alike(pictureOf(page.picture(figure, "weights")), wanted), figure));
  return body;
}

full("a knob changes the figure", async (t) => {
  const page = await openChapter(t, "asking");
  const mask = page.in(page.figure("weights")).getByLabelText("Mask");
  const { causal } = await changesWeights(page, "weights", () => page.click(mask));
  assert.equal(causal, false);
});

test("a knob says what is wrong with it, and the figure does not repeat it", async (t) => {
  const page = await openChapter(t, "heads");
  const figure = page.in(page.figure("grid"));
  await page.fill(figure.getByLabelText("heads"), "5");
  const alert = await figure.findByRole("alert");
  await page.until(() => assert.match(alert.textContent, /5 heads do not divide d_model 64/));
  assert.equal(figure.getAllByText(/5 heads do not divide/).length, 1);
});

test("a figure without a context offers no block that needs one", async (t) => {
  const page = await openChapter(t, "layers");
  const blocks = page.in(page.figure("two")).getByLabelText("block");
  const offered = [...blocks.options].map(({ textContent }) => textContent.split(":")[0]);
  assert.deepEqual(offered.sort(), ["attention", "post-norm", "pre-norm", "residual", "sublayer norm"]);
});

full("the slider goes through the training", async (t) => {
  const page = await openChapter(t, "habits");
  const { models } = await page.json("/api/v1/models");
  const { revisions } = models.find(({ name }) => name === "echo");
  const slider = page.in(page.figure("grows")).getByRole("slider");
  const says = (words) => page.until(() => assert.equal(slider.getAttribute("aria-valuetext"), words));
  await says(`step ${revisions[0].slice(5)}`);
  const { model } = await changesWeights(page, "grows", () => page.fill(slider, slider.max));
  assert.equal(model.revision, revisions.at(-1));
  await says(`step ${revisions.at(-1).slice(5)} (the last)`);
});

test("one's own words reach every figure, the other chapters and Explore", async (t) => {
  const page = await openChapter(t, "asking");
  await changesWeights(page, "weights", () => page.fill(page.sentence, OWN));
  await page.until(() => assert.match(page.one(".labels", page.figure("weights")).textContent, /sentence/));
  const texts = page.all("a[data-carry]").map((link) => new URL(link.href).searchParams.get("text"));
  assert.ok(texts.length > 20);
  assert.deepEqual([...new Set(texts)], [OWN]);
  const explore = page.in(page.figure("weights")).getByRole("link", EXPLORE).getAttribute("href");
  await page.goto(page.one('.contents a[href^="/learn/masks"]').getAttribute("href"));
  assert.equal(page.sentence.value, OWN);
  await page.goto(explore);
  await page.until(() => assert.equal(page.in().getByRole("textbox", { name: "Sentence" }).value, OWN));
});

full("a paragraph leads to the next chapter with the sentence", async (t) => {
  const page = await openChapter(t, "habits", "?text=a+b");
  const links = page.all("p > a[data-carry]").map((link) => link.getAttribute("href"));
  assert.deepEqual(links, ["/learn/layers?text=a+b", "/learn/worth?text=a+b"]); // to read before, and next
});

test("words of the text light a cell and keep it when pressed", async (t) => {
  const page = await openChapter(t, "scores");
  const reading = page.one(".reading", page.figure("product"));
  const words = page.button("the query of word 1 fits the key of word 3");
  const reads = (cell) => page.until(() => assert.ok(reading.textContent.includes(cell), reading.textContent));
  await reads("cross → animal");
  words.focus();
  await reads("animal → cross");
  words.blur();
  await reads("cross → animal");
  await page.click(words);
  words.blur();
  await reads("animal → cross");
});

full("a dropped head is opened in Explore with the former predictions struck out", async (t) => {
  const page = await openChapter(t, "worth");
  const [table] = page.in().getAllByRole("table");
  const [, row] = page.in(table).getAllByRole("row");
  const [before, after] = page
    .in(row)
    .getAllByRole("cell")
    .map((cell) => cell.textContent);
  const link = page.in(page.figure("dropped")).getByRole("link", EXPLORE).getAttribute("href");
  assert.match(link, /drop=/);
  await page.goto(link);
  await page.until(() => {
    const said = page
      .all("#predictions li")
      .filter((each) => each.querySelector("s") && /Darcy/.test(each.textContent));
    assert.equal(said.length, 1);
    assert.equal(said[0].querySelector("s").textContent, before);
    assert.ok(said[0].textContent.includes(after));
  });
});

full("the costs of a cache are the same in the figure and in the table", async (t) => {
  const page = await openChapter(t, "decoding");
  const rows = page
    .in()
    .getAllByRole("row")
    .filter((row) => row.querySelector("th")?.textContent === "1,024");
  const kept = rows.filter((row) => row.textContent.includes("MiB"));
  assert.equal(kept.length, 1);
  assert.ok(kept[0].textContent.includes("2\u00a0MiB"));
  const costs = await openChapter(t, "costs");
  assert.match(costs.figure("sizes").textContent, /takes 2 MiB in this layer \(2 bytes a number\)/);
});
