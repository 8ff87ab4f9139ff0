/** The pointer lights what a cell came from; the inspector shows how it was made. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { stageCells, written } from "./support/cells.js";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";

const ADDRESS = "/?text=the%20animal%20is%20tired&d_model=16";
const [N, D_MODEL, D_K] = [4, 16, 4];
const CELL = [3, 1]; // tired → animal
const STAGES = ["x", "q", "k", "v", "scores", "scaled_scores", "masked_scores", "weights"];
const ALL = [...STAGES, "head_outputs", "concat", "output"];

const heading = (page) => page.one("h2", page.inspector)?.textContent ?? "";
const place = (page) => page.one("h2 .place", page.inspector)?.textContent ?? "";
const output = (page) => page.one("output", page.inspector)?.textContent;
const reads = (page, number) => page.until(() => assert.equal(output(page), number));
const operands = (page, name) => page.in(page.inspector).getAllByRole("button", { name: new RegExp(`^${name}\\b.*:`) });

/** The numbers of a stage, by its name. */
async function cellsOf(page) {
  const reply = await page.answer();
  return (stage) => stageCells(reply, stage, { layer: 0, head: 0, batch: 0 });
}

/** Where the light lies over a picture, as parts of its height: none where none does. */
function lit(page, stage) {
  const plot = page.one(".plot", page.card(stage));
  const high = parseFloat(plot.style.height);
  const marks = page.all(".lit:not([hidden])", plot);
  return marks.map(({ style }) => [parseFloat(style.top) / high, parseFloat(style.height) / high]);
}

describe("inspector", () => {
  const visit = onePage();

  test("a stage leads to the chapter that explains it, with the same sentence", async () => {
    const page = await visit("/?source=seeded&text=a%20b%20c%20d&cell=scaled_scores.3.1&lang=zh");
    const link = await page.until(() => page.one("a[data-chapter]", page.inspector) ?? assert.fail("no link"));
    assert.equal(link.getAttribute("href"), "/learn/scaling?text=a+b+c+d&lang=zh");
  });

  full("the pointer on a weight lights its query row in q and its key row in k, and reads it", async () => {
    const page = await visit(ADDRESS);
    const weight = (await cellsOf(page))("weights")[CELL[0]][CELL[1]];
    await page.hover("weights", CELL, [N, N]);
    await page.until(() => assert.deepEqual(lit(page, "q"), [[CELL[0] / N, 1 / N]]));
    assert.deepEqual(lit(page, "k"), [[CELL[1] / N, 1 / N]]);
    assert.ok(lit(page, "x").length > 0);
    assert.deepEqual(lit(page, "output"), [], "output comes after the weights");
    const { textContent: readout } = page.one(".readout", page.card("weights"));
    assert.ok(readout.includes(written(weight)) && readout.includes("tired → animal"), readout);
    await page.pointAt(page.one(".plot", page.card("weights")), [0, 0], [N, N], "pointerleave");
    await page.until(() => assert.deepEqual(lit(page, "q"), []));
  });

  full("a pinned weight shows its arithmetic, a pinned score its operands", async () => {
    const page = await visit(ADDRESS);
    const cells = await cellsOf(page);
    const [row, col] = CELL;
    await page.pick("weights", CELL, [N, N]);
    await reads(page, written(cells("weights")[row][col]));
    assert.match(heading(page), /^weights/);
    assert.equal(place(page), "tired → animal");
    assert.ok(page.one("math", page.inspector));
    for (const stage of ["scores", "scaled_scores"])
      assert.ok(page.inspector.textContent.includes(written(cells(stage)[row][col])), stage);
    await page.pick("scores", CELL, [N, N]);
    await reads(page, written(cells("scores")[row][col]));
    for (const [name, at] of [
      ["q", row],
      ["k", col],
    ]) // prettier-ignore
    {
      const numbers = operands(page, name).map((each) => each.textContent);
      assert.deepEqual(numbers, cells(name)[at].map((value) => written(value))); // prettier-ignore
    }
  });

  full("the inspector shows the number of any stage", async () => {
    const page = await visit(ADDRESS);
    const cells = await cellsOf(page);
    for (const stage of ALL) {
      const numbers = cells(stage);
      await page.pick(stage, [3, 2], [numbers.length, numbers[0].length]);
      await reads(page, written(numbers[3][2]));
      if (stage !== "x") assert.ok(operands(page, "").length > 0);
    }
  });

  test("operands lead upstream to x, and the trail leads back", async () => {
    const page = await visit(ADDRESS);
    const cells = await cellsOf(page);
    await page.pick("scores", CELL, [N, N]);
    await page.until(() => assert.equal(operands(page, "q").length, D_K));
    for (const stage of ["q", "x"]) {
      await page.click(operands(page, stage)[0]);
      await reads(page, written(cells(stage)[CELL[0]][0]));
      assert.ok(heading(page).startsWith(stage));
    }
    const trail = page.in(page.in(page.inspector).getByRole("navigation")).getAllByRole("button");
    assert.equal(trail.length, 2);
    await page.click(trail[0]);
    await page.until(() => assert.match(heading(page), /^scores/));
    page.back();
    await page.until(() => assert.match(heading(page), /^x/));
  });

  test("a number of a weight matrix is an operand that can be followed", async () => {
    const page = await visit(ADDRESS);
    await page.pick("q", [2, 1], [N, D_K]);
    await page.until(() => assert.equal(operands(page, "w_q").length, D_MODEL));
    await page.click(operands(page, "w_q")[0]);
    await page.until(() => assert.match(heading(page), /w_q/));
    const { layers } = await page.answer({ ...page.question(), parameters: true });
    await reads(page, written(layers[0].parameters.w_q[0][1]));
  });

  test("a second press and the close button let go of a cell", async () => {
    const page = await visit(ADDRESS);
    const pick = () => page.pick("weights", CELL, [N, N]);
    const isGone = () => page.until(() => assert.equal(output(page), undefined));
    await pick();
    await page.see("#inspector output");
    await pick();
    await isGone();
    await pick();
    await page.click(page.button("Let go of the cell", page.inspector));
    await isGone();
    assert.ok(page.inspector.textContent.includes("How to read this page"));
  });

  test("a pinned cell follows a new answer, with as many decimals as are wanted", async () => {
    const page = await visit(ADDRESS);
    await page.pick("scores", CELL, [N, N]);
    await page.ask(async () => page.fill(await page.field("seed"), "3"));
    const value = (await cellsOf(page))("scores")[CELL[0]][CELL[1]];
    await reads(page, written(value));
    await page.more();
    await page.choose(await page.field("decimals shown"), "8");
    await reads(page, written(value, 8));
  });
});
