/** The mask that is painted by hand: stroke by stroke, with undo and an address. */

import assert from "node:assert/strict";
import test from "node:test";
import { tool } from "./support/changes.js";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";

const MASK = "/?change=mask&text=a%20b%20c%20d%20e%20f";
const SHAPE = [6, 6];
const STAGE = "masked_scores";
const CAUSAL = Array.from({ length: 36 }, (_, at) => [Math.floor(at / 6), at % 6]).filter(([i, j]) => j > i);

async function openMask(t, address = MASK) {
  const page = await openExplore(t, address);
  await page.see("#editor button");
  return { page, panel: page.one("#editor") };
}

/** One stroke through some cells. */
async function draw(page, first, ...rest) {
  const canvas = page.canvas(STAGE);
  await page.pointAt(canvas, first, SHAPE, "pointermove", "pointerdown");
  for (const cell of rest) await page.pointAt(canvas, cell, SHAPE, "pointermove");
  await page.pointAt(canvas, rest.at(-1) ?? first, SHAPE, "pointerup");
}

/** Waits until the page asks with these cells closed by hand, and shows that. */
async function blocked(page, cells, stages = [STAGE, "weights"]) {
  await page.until(() => assert.deepEqual(page.question().blocked ?? [], cells));
  const body = page.question();
  await page.shows(body, stages);
  return body;
}

/** Waits until an element says something. */
const says = (element, text, page) => page.until(() => assert.ok(element.textContent.includes(text), text));

test("the sentence keeps its height during a stroke, so that the pictures stay under the pointer", async (t) => {
  const { page } = await openMask(t);
  const [canvas, { style }] = [page.canvas(STAGE), page.one("#looks")];
  await page.pointAt(canvas, [5, 1], SHAPE, "pointermove", "pointerdown");
  assert.match(style.height, /px$/);
  await page.pointAt(canvas, [5, 2], SHAPE, "pointermove", "pointerup");
  assert.equal(style.height, "");
  await blocked(page, [
    [5, 1],
    [5, 2],
  ]);
});

test("a stroke closes cells and another opens them; each is one step of undo", async (t) => {
  const { page, panel } = await openMask(t);
  const first = page.question();
  await draw(page, [5, 1], [5, 4]);
  const row = [1, 2, 3, 4].map((col) => [5, col]);
  const one = await blocked(page, row, [STAGE, "weights", "output"]);
  assert.match(panel.textContent, /4 cells closed by hand/);
  assert.equal(page.one("#inspector.pinned"), null); // painting pins no cell
  await draw(page, [5, 2], [5, 3]);
  const two = await blocked(page, [row[0], row[3]]);
  await page.addressHas("blocked=5.1_5.4");
  for (const question of [one, first]) {
    await page.user.keyboard("{Control>}z{/Control}");
    await page.shows(question, [STAGE, "weights"]);
  }
  assert.equal(tool(page, /^Undo/).disabled, true);
  for (const question of [one, two]) {
    await page.user.keyboard("{Control>}{Shift>}Z{/Shift}{/Control}");
    await page.shows(question, [STAGE, "weights"]);
  }
});

full("cells of another mask are not painted until all are", async (t) => {
  const { page, panel } = await openMask(t);
  await draw(page, [1, 1], [1, 3]); // the causal mask begins beside the first
  await blocked(page, [[1, 1]]);
  await draw(page, [0, 4]);
  await says(panel, "closed by the causal mask", page);
  await page.click(page.button("Paint every mask", panel));
  const sorted = (cells) => cells.toSorted(([i, j], [k, l]) => i - k || j - l);
  const all = await blocked(page, sorted([...CAUSAL, [1, 1]]));
  assert.equal(all.causal, false);
  await draw(page, [0, 4]);
  const body = await blocked(page, sorted([...CAUSAL.filter(([i, j]) => i !== 0 || j !== 4), [1, 1]]));
  await page.click(page.button("Open them all", panel));
  await page.shows({ ...body, blocked: [] }, [STAGE, "weights"]);
});

full("the space bar paints at the cursor, Enter pins, and so does a press once the panel is closed", async (t) => {
  const { page, panel } = await openMask(t);
  page.grid(STAGE).focus();
  await page.user.keyboard("{End}{Home}{ArrowDown}{ArrowDown}{ArrowRight} ");
  await blocked(page, [[2, 1]]);
  assert.equal(page.in(panel).getByRole("status").textContent, "The cell is closed.");
  await page.user.keyboard(" ");
  await says(panel, "0 cells closed by hand", page);
  await page.user.keyboard("{Enter}");
  await says(page.inspector, "masked scores", page);
  await page.click(page.button("Close the panel", panel));
  await page.pick(STAGE, [3, 1], SHAPE);
  await says(page.inspector, "d → b", page);
  await page.addressLacks("blocked=");
});

full("the large map is painted too", async (t) => {
  const { page } = await openMask(t, `${MASK}&stage=${STAGE}`);
  const plot = await page.see("#large .plot canvas[data-layer]");
  await page.pointAt(plot, [4, 0], SHAPE, "pointermove", "pointerdown", "pointerup");
  await blocked(page, [[4, 0]], [STAGE]);
});

test("a long painted mask is kept by its trace", async (t) => {
  const { page, panel } = await openMask(t, `/?change=mask&text=${Array(60).fill("word").join("%20")}`);
  await page.click(page.button("Paint every mask", panel));
  await page.until(() => assert.equal(page.question().blocked?.length, (60 * 59) / 2));
  const body = page.question();
  const { trace } = await page.answer(body);
  await page.addressHas(`t=${trace}`);
  assert.deepEqual(await page.ask(() => page.reload()), body);
});
