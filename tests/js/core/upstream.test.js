import assert from "node:assert/strict";
import test from "node:test";
import { upstream } from "../../../static/js/core/upstream.js";
import { answer, cells, page } from "../support/sent.js";

/** Regions as "stage row col", with * for all of them. */
const names = (cell, of = {}) =>
  upstream(page, cell, { head: 0, d_v: 2, ...of }).map(({ stage, row, col }) => `${stage} ${row ?? "*"} ${col ?? "*"}`);
const cell = (stage, row, col) => ({ stage, row, col });

test("x comes from nowhere", () => {
  assert.deepEqual(names(cell("x", 1, 2)), []);
});

test("a score is a row of q times a row of k, which are rows of x", () => {
  assert.deepEqual(names(cell("scores", 2, 5)), ["q 2 *", "k 5 *", "x 2 *", "x 5 *"]);
});

test("a score of a token with itself reads its row of x once", () => {
  assert.deepEqual(names(cell("scores", 2, 2)), ["q 2 *", "k 2 *", "x 2 *"]);
});

test("a weight is traced from softmax to mask, scale and score", () => {
  assert.deepEqual(names(cell("weights", 0, 1)).slice(0, 4), [
    "masked_scores 0 1",
    "scaled_scores 0 1",
    "scores 0 1",
    "q 0 *",
  ]);
});

test("a head's output is a row of weights times a column of v, and all of x", () => {
  const found = names(cell("head_outputs", 1, 3));
  assert.deepEqual(found.slice(0, 2), ["weights 1 *", "v * 3"]);
  assert.ok(found.includes("q 1 *") && !found.some((name) => name.endsWith("* *")));
});

test("a number of concat belongs to one head: another's is not lit", () => {
  assert.equal(names(cell("concat", 0, 3), { head: 1 })[0], "head_outputs 0 1");
  assert.deepEqual(names(cell("concat", 0, 3), { head: 0 }), []);
});

test("the output reads a whole row of concat, and the block output x beside it", () => {
  assert.deepEqual(names(cell("output", 1, 0)).slice(0, 2), ["concat 1 *", "head_outputs 1 *"]);
  const found = names(cell("block_output", 1, 0));
  assert.deepEqual(found.slice(0, 2), ["output 1 0", "x 1 0"]);
});

test("beside a context k and v read it, and q alone reads x", () => {
  const found = names(cell("scores", 0, 3), { cross: true });
  assert.deepEqual(found, ["q 0 *", "k 3 *", "x 0 *", "context 3 *"]);
});

test("x seen through k is a row of keys", () => {
  const regions = upstream(page, cell("k", 4, 1), { head: 0, d_v: 2 });
  assert.deepEqual(regions, [{ stage: "x", row: 4, col: null, axis: "key" }]);
});

test("what the server reads for a cell lies in the regions of the page", () => {
  for (const name of ["cat", "grouped", "cross", "given"]) {
    const { d_v } = answer(name).reply.shape;
    for (const [stage, { steps }] of Object.entries(cells(name)[0])) {
      const of = { head: 0, d_v, cross: name === "cross" };
      const regions = upstream(page, { stage, row: 0, col: 0 }, of);
      const known = new Set(page.stages.map((each) => each.name));
      const read = steps.at(-1).operands.filter((operand) => known.has(operand.stage) && stage !== "weights");
      for (const { stage: from, row, col } of read) {
        const inside = regions.some(
          (region) => region.stage === from && [null, row].includes(region.row) && [null, col].includes(region.col),
        );
        assert.ok(inside, `${from} ${row} ${col} of ${stage} in ${name}`);
      }
    }
  }
});
