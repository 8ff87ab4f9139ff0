import assert from "node:assert/strict";
import test from "node:test";
import { headsOffered, isDense } from "../../../static/js/stages/head-places.js";

test("layers are rows, heads columns", () => {
  const offered = headsOffered({ num_layers: 2, num_heads: 3 }, 1);
  assert.deepEqual([offered.from, offered.to, offered.columns, offered.rows], [0, 2, 3, 2]);
  assert.deepEqual(offered.places[4], { layer: 1, head: 1 });
  assert.equal(isDense(offered), false);
});

test("the heads of one layer stand in a square", () => {
  const offered = headsOffered({ num_layers: 1, num_heads: 5 }, 0);
  assert.deepEqual([offered.columns, offered.rows, offered.places.length], [3, 2, 5]);
});

test("of very many layers those around the selected one are offered", () => {
  const { from, to } = headsOffered({ num_layers: 96, num_heads: 64 }, 70);
  assert.deepEqual([from, to], [46, 94]);
  assert.deepEqual(headsOffered({ num_layers: 96, num_heads: 64 }, 0).from, 0);
  assert.deepEqual(headsOffered({ num_layers: 96, num_heads: 64 }, 95).to, 96);
});

test("many columns leave no room for names", () => {
  assert.equal(isDense(headsOffered({ num_layers: 12, num_heads: 12 }, 0)), true);
  assert.equal(isDense(headsOffered({ num_layers: 1, num_heads: 16 }, 0)), false);
});
