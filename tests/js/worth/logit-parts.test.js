import assert from "node:assert/strict";
import test from "node:test";
import { partsOf, scaleOf, waterfall } from "../../../static/js/worth/logit-parts.js";

const TOLD = {
  logit: 3,
  embedding: 1,
  heads: [
    [2, -1],
    [0.5, 0.5],
  ],
  mlps: [],
  bias: 0,
};

test("each part begins where the one before ended, and the last ends at the sum", () => {
  const steps = waterfall(partsOf(TOLD));
  assert.deepEqual(
    steps.map(({ from, to }) => [from, to]),
    [
      [0, 1],
      [1, 3],
      [3, 2],
      [2, 2.5],
      [2.5, 3],
    ],
  );
  assert.equal(steps.at(-1).to, TOLD.logit);
});

test("an MLP stands behind the heads of its layer, and a bias at the end", () => {
  const parts = partsOf({ ...TOLD, mlps: [0.1, 0.2], bias: 0.3 });
  assert.deepEqual(
    parts.map(({ of }) => of),
    ["embedding", "head", "head", "mlp", "head", "head", "mlp", "bias"],
  );
});

test("all stretches are in sight, and zero too", () => {
  const { zero, bar } = scaleOf([
    { from: 0, to: 3 },
    { from: 3, to: -1 },
  ]);
  assert.equal(zero, 25);
  assert.deepEqual(bar({ from: 3, to: -1 }), { left: 0, width: 100 });
  assert.deepEqual(scaleOf([{ from: 2, to: 4 }]).bar({ from: 2, to: 4 }), { left: 50, width: 50 });
  assert.equal(scaleOf([]).zero, 0);
});
