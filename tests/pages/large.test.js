/** Questions whose answer is too large to come as numbers: pictures come in their place. */

import assert from "node:assert/strict";
import test from "node:test";
import { alike, cellColors, pictureOf } from "./support/cells.js";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";
import { openLarge, words } from "./support/large.js";

const MB = 1_000_000;
const STEP = 1 / 255; // of the range of a picture, by which a cell may be rounded

const requested = (page, text) => page.asked.filter(({ path }) => path.includes(text));

for (const [tab, tiles] of Object.entries({ stages: "#heads canvas", heads: ".tile:not(.absent) canvas" }))
  test(`a hundred heads of many tokens are little to send: ${tab}`, async (t) => {
    const sizes = "num_layers=12&num_heads=12&d_model=192";
    const page = await openLarge(t, `/?source=seeded&${sizes}&text=${words(128)}&tab=${tab}`);
    const drawn = () => page.all(tiles).filter((canvas) => canvas.checkVisibility() && canvas.painted);
    await page.until(() => assert.equal(drawn().length, 144));
    await page.ready();
    assert.ok(page.bytes <= 2.5 * MB, `${page.bytes} bytes`);
    assert.deepEqual(requested(page, "/attention"), []);
  });

full("a head of two thousand tokens is little to send", async (t) => {
  const page = await openLarge(t, `/?source=seeded&num_heads=1&text=${words(2048)}`);
  for (const stage of ["x", "q", "scores", "masked_scores", "weights", "output"])
    await page.until(() => assert.ok(pictureOf(page.canvas(stage)).length > 0, stage));
  await page.ready();
  assert.ok(page.bytes <= 3 * MB, `${page.bytes} bytes`);
  assert.deepEqual(requested(page, "/attention"), []);
  assert.match(page.one(".legend", page.card("scores")).textContent, /quantised, a point for 4 × 4/);
  assert.match(page.one(".checks", page.inspector).textContent, /“Quantised” pictures have 255 steps of colour/);
});

test("a picture of every cell has the colours of its numbers", async (t) => {
  const page = await openLarge(t, `/?source=seeded&num_heads=8&text=${words(250)}&stage=masked_scores`);
  await page.until(() => assert.equal(page.one("#large .legend .quantised").textContent, "quantised"));
  const all = "rows=0:250&cols=0:250";
  const [numbers, scaled] = await Promise.all(
    ["masked_scores", "scaled_scores"].map((stage) => page.block(250, stage, all, { num_heads: 8 })),
  );
  const size = Math.max(...scaled.flat().map(Math.abs));
  const near = [-1, 0, 1].map((by) => {
    const cells = numbers.map((line) => line.map((value) => value && value + by * 2 * size * STEP));
    return cellColors(cells, scaled, page.pageData().colors.light);
  });
  const found = pictureOf(page.one("#large canvas[data-layer]"));
  found.forEach((line, row) =>
    line.forEach((cell, col) =>
      assert.ok(
        near.some((colors) => alike([[cell]], [[colors[row][col]]])),
        `${row} ${col}`,
      ),
    ),
  );
  assert.deepEqual([found.length, found[0].length], [250, 250]);
});

full("another head and another text come as pictures too", async (t) => {
  const page = await openLarge(t, `/?source=seeded&text=${words(400)}%0A${words(380)}`);
  await page.click(page.one(".thumbnail[data-head='2']"));
  await page.see("[data-stage=weights] canvas[data-head='2']");
  await page.ready();
  const openRows = () => pictureOf(page.canvas("weights")).filter((line) => line.some(([, , , alpha]) => alpha > 0));
  assert.equal(openRows().length, 400);
  await page.choose(page.in(page.one("#tokens")).getByLabelText("Sentence of the batch"), "1");
  await page.addressHas("batch=1");
  await page.until(() => assert.equal(openRows().length, 380));
  assert.ok(requested(page, "batch=1").some(({ path }) => path.includes("/pictures/")));
});

full("a small question has numbers, and requests no picture", async (t) => {
  const page = await openExplore(t);
  for (const each of ["/pictures/", "/thumbnails/", "pictured"]) assert.deepEqual(requested(page, each), []);
  assert.equal(page.all(".legend .quantised:not(:empty)").length, 0);
});
