/** The numbers that are read of a long text, whose pictures have none. */

import assert from "node:assert/strict";
import test from "node:test";
import { written } from "./support/cells.js";
import { full } from "./support/full.js";
import { openLarge, words } from "./support/large.js";

/** The tokens that a readout names, as places. */
const placesIn = (readout) =>
  readout
    .querySelector("span")
    .textContent.split(" → ")
    .map((name) => Number(name.slice(1)));

/** Whether a readout has a number, unless it is small and written as a power of ten. */
function isNumber(readout, value) {
  const shown = readout.querySelector("b").textContent;
  if (!shown.includes("×")) assert.ok(Math.abs(Number(shown) - value) <= 0.0005, `${shown} for ${value}`);
}

test("the number under the pointer is at first that of a point, then its own", async (t) => {
  const n = 640; // a point of the picture is 2 × 2 of its cells
  const page = await openLarge(t, `/?source=seeded&text=${words(n)}`);
  await page.see("[data-stage=weights] canvas[data-layer][data-head]");
  const readout = page.one(".readout", page.card("weights"));
  await page.until(async () => {
    await page.hover("weights", [400, 200], [n, n]);
    assert.match(readout.textContent, /^≈.*2 × 2/);
  });
  await page.until(() => assert.doesNotMatch(readout.textContent, /≈/));
  const [row, col] = placesIn(readout);
  const [[value]] = await page.block(n, "weights", `rows=${row}:${row + 1}&cols=${col}:${col + 1}`);
  isNumber(readout, value);
  await page.until(() => assert.ok(page.one(".seen-line").textContent.includes(`w${row}`)));
});

test("several heads of a long text are read together", async (t) => {
  const n = 600;
  const page = await openLarge(t, `/?source=seeded&text=${words(n)}&tab=heads&heads=0.0_0.1`);
  const canvas = await page.see(".together canvas[data-layer]");
  const readout = page.one(".together .readout");
  await page.until(async () => {
    await page.pointAt(canvas, [300, 100], [n, n], "pointermove");
    assert.ok(readout.checkVisibility());
  });
  await page.until(() => assert.doesNotMatch(readout.textContent, /≈/));
  const [row, col] = placesIn(readout);
  const place = `rows=${row}:${row + 1}&cols=${col}:${col + 1}`;
  const both = await Promise.all([0, 1].map((head) => page.block(n, "weights", `head=${head}&${place}`)));
  isNumber(readout, (both[0][0][0] + both[1][0][0]) / 2);
});

full("a table, a pinned cell and its steps have the numbers", async (t) => {
  const n = 400;
  const page = await openLarge(t, `/?source=seeded&text=${words(n)}&cell=weights.9.2&step=scores.100`);
  const [[score]] = await page.block(n, "scores", "rows=9:10&cols=2:3");
  await page.until(() => assert.equal(page.one("#stepper .sum").textContent, `Σ = ${written(score)}`));
  await page.goto(`/?source=seeded&text=${words(n)}&stage=weights&table=true&cell=weights.9.2`);
  const weights = await page.block(n, "weights", "rows=0:64&cols=0:64");
  const wanted = weights[9][2].toFixed(3);
  const cell = () => page.all("td", page.all("#large tbody tr")[9])[2];
  await page.until(() => assert.equal(cell().textContent, wanted));
  const bars = () => page.all(".bars .number", page.inspector).map((bar) => bar.textContent);
  await page.until(() => assert.deepEqual([bars().length, bars()[2]], [10, wanted]));
});

full("lines of a long text are the strongest of each token", async (t) => {
  const page = await openLarge(t, `/?source=seeded&text=${words(600)}&tab=lines&threshold=0.01`);
  await page.until(() => assert.match(page.one(".lines .muted").textContent, /3 strongest of each token/));
  await page.user.hover(page.all(".web ul.axis-query li")[20]);
  await page.until(() => assert.ok(page.all(".web ul.axis-key li b:not(:empty)").length > 0));
});

full("a change of a long text is shown where it changes the numbers", async (t) => {
  const page = await openLarge(t, `/?source=seeded&text=${words(320)}`);
  await page.see("[data-stage=weights] canvas[data-layer][data-head]");
  await page.drawer();
  const scale = page.in(page.one("#options")).getByTitle(/^What multiplies the scores/);
  await page.choose(page.one("select", scale), "none");
  await page.ready();
  await page.click(page.button("Show change", page.one("#change")));
  await page.see('[data-stage="scaled_scores"] .change canvas[data-layer]');
  await page.see('[data-stage="scores"] .change .same');
});

full("a token of a long text is pressed", async (t) => {
  const page = await openLarge(t, `/?source=seeded&text=${words(400)}`);
  await page.ready();
  const token = page.all(".sentence-plot li")[20];
  const name = token.textContent.trim();
  await page.click(token);
  await page.until(() => assert.ok(page.inspector.textContent.includes(`Where “${name}” looks`)));
  assert.ok(page.one(".seen-line").textContent.includes(name));
});
