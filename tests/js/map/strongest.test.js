import assert from "node:assert/strict";
import test from "node:test";
import { largest, strongestIn } from "../../../static/js/map/strongest.js";
import { file } from "../support/made.js";
import { serve } from "../support/server.js";

const { signal } = new AbortController();
const sheet = (n, levels) => ({
  named: { trace: "abc", question: {} },
  selected: { stage: "weights", layer: 0, head: 0, batch: 0 },
  extent: { levels },
  size: { rows: n, cols: n },
});

test("the first of the largest, within a square and the edge", () => {
  const numbers = { rows: 2, cols: 3, values: [9, 1, 5, 2, 5, 8] };
  assert.deepEqual(largest(numbers, { row: 0, col: 1 }, 9), { row: 1, col: 2 });
  assert.deepEqual(largest(numbers, { row: 0, col: 1 }, 1), { row: 0, col: 1 });
  assert.deepEqual(largest({ rows: 1, cols: 2, values: [-Infinity, -Infinity] }, { row: 0, col: 0 }, 2), {
    row: 0,
    col: 0,
  });
});

test("a small square is asked for whole, cut at the edge of the map", async () => {
  const asked = serve(() => ({
    values: [
      [0.1, 0.2],
      [0.9, 0.3],
    ],
  }));
  assert.deepEqual(await strongestIn(sheet(1002, 3), { row: 1000, col: 1000 }, 4, signal), { row: 1001, col: 1000 });
  assert.match(asked[0].path, /rows=1000%3A1002&cols=1000%3A1002$/);
});

test("a large one is found in two steps: which part of it, and where in that", async () => {
  const values = new Array(256 * 256).fill(0);
  values[3 * 256 + 200] = 1;
  const asked = serve(({ path }) =>
    path.includes("tiles")
      ? file({}, { "layers.0.weights": { shape: [256, 256], values } })
      : {
          values: [
            [0.1, 0.2],
            [0.3, 0.7],
          ],
        },
  );
  const found = await strongestIn(sheet(131_072, 10), { row: 512, col: 1024 }, 512, signal);
  assert.match(asked[0].path, /tiles\/weights\/0\/0\/8\/1\/2\?reduce=max/);
  assert.deepEqual(found, { row: 512 + 6 + 1, col: 1024 + 400 + 1 });
});

test("in between, part of a tile is looked through", async () => {
  const values = new Array(256 * 256).fill(0);
  values[130 * 256 + 131] = 1;
  values[0] = 5; // outside the square
  const asked = serve(() => file({}, { "layers.0.weights": { shape: [256, 256], values } }));
  assert.deepEqual(await strongestIn(sheet(40_000, 9), { row: 128, col: 128 }, 128, signal), { row: 130, col: 131 });
  assert.equal(asked.length, 1);
});
