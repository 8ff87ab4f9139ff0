import assert from "node:assert/strict";
import test from "node:test";
import { droppedIn, isDropped, withoutHead } from "../../../static/js/editing/dropped-head.js";

/** Two heads of d_v 2 over a d_model of 1, and what is given. */
const asked = (given) => ({ model: { source: "explicit", num_heads: 2, w_v: [[1, 2, 3, 4]], ...given } });

/** What the heads add to one row of the output: concat (x W_V + b_V) times W_O, by loops. */
function output({ num_heads, num_kv_heads, w_v, b_v, w_o }, weights) {
  const d_v = w_v[0].length / (num_kv_heads ?? num_heads);
  const concat = [];
  for (let head = 0; head < num_heads; head++) {
    const shared = Math.floor((head * (num_kv_heads ?? num_heads)) / num_heads);
    for (let col = 0; col < d_v; col++) {
      const at = shared * d_v + col;
      concat.push(weights[head] * (w_v[0][at] + (b_v?.[at] ?? 0)));
    }
  }
  if (!w_o) return concat;
  return w_o[0].map((_, col) => concat.reduce((sum, value, row) => sum + value * w_o[row][col], 0));
}

test("without W_O a head is dropped in its own values and their bias", () => {
  const before = asked({ b_v: [1, 1, 1, 1] });
  const { model } = withoutHead(before, 1);
  assert.equal(droppedIn(before.model), "w_v");
  assert.deepEqual(model.w_v, [[1, 2, 0, 0]]);
  assert.deepEqual(model.b_v, [1, 1, 0, 0]);
  assert.deepEqual(output(model, [0.5, 0.25]), [1, 1.5, 0, 0]);
});

test("with W_O its rows are zeroed, and the other head adds what it did", () => {
  const w_o = [
    [1, 0],
    [0, 1],
    [2, 2],
    [3, -1],
  ];
  const { model } = withoutHead(asked({ w_o }), 0);
  assert.equal(droppedIn(model), "w_o");
  assert.deepEqual(model.w_o, [
    [0, 0],
    [0, 0],
    [2, 2],
    [3, -1],
  ]);
  assert.deepEqual(output(model, [9, 1]), [3 * 2 + 4 * 3, 3 * 2 - 4]);
});

test("where heads share their values the identity becomes W_O, and one head's rows of it are zero", () => {
  const before = asked({ num_kv_heads: 1, w_v: [[5, 6]] });
  assert.equal(droppedIn(before.model), "w_o");
  const { model } = withoutHead(before, 0);
  assert.deepEqual(model.w_v, [[5, 6]]);
  assert.deepEqual(output(before.model, [1, 2]), [5, 6, 10, 12]);
  assert.deepEqual(output(model, [1, 2]), [0, 0, 10, 12]);
});

test("a head is known as dropped however it was dropped, and no other is", () => {
  for (const given of [{}, { b_v: [0, 1, 1, 0] }, { w_o: [[1], [2], [3], [4]] }, { num_kv_heads: 1, w_v: [[5, 6]] }]) {
    for (const head of [0, 1]) {
      const before = asked(given);
      assert.deepEqual(
        [0, 1].map((each) => isDropped(before, each)),
        [false, false],
      );
      const after = withoutHead(before, head);
      assert.deepEqual(
        [0, 1].map((each) => isDropped(after, each)),
        [head === 0, head === 1],
      );
    }
  }
});

test("a bias alone keeps a head, and a head that is not there is not dropped", () => {
  assert.equal(isDropped(asked({ w_v: [[0, 0, 3, 4]], b_v: [0, 1, 0, 0] }), 0), false);
  assert.equal(isDropped(asked({ w_v: [[0, 0, 3, 4]] }), 0), true);
  assert.equal(isDropped(asked({}), 2), false);
  assert.equal(isDropped({ model: { source: "seeded", num_heads: 2 } }, 0), false);
});
