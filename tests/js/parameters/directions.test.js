import assert from "node:assert/strict";
import test from "node:test";
import { isProduct, labelPlaces, sidesOf, unseenSides } from "../../../static/js/parameters/directions.js";

const found = (left, right) => ({ singular_values: [2, 0.5], tokens_left: left, tokens_right: right });

test("a matrix of queries has the same tokens before and after, in one scale", () => {
  const [before, after] = sidesOf("w_q", found([[1, -3]], [[2, 1]]));
  assert.deepEqual([before.axis, after.axis, before.edge, after.edge], ["query", "query", 3, 3]);
  assert.deepEqual(before.names, ["x · u₁", "x · u₂"]);
  assert.deepEqual(after.names, ["v₁, × σ₁ = 2", "v₂, × σ₂ = 0.5"]);
});

test("the other matrices read keys", () => {
  assert.deepEqual(
    sidesOf("w_v", found([[1, 1]], [[1, 1]])).map(({ axis }) => axis),
    ["key", "key"],
  );
});

test("what joins the heads reads the outputs of one", () => {
  const [before, after] = sidesOf("w_o", found([[1, 1]], [[1, 1]]));
  assert.deepEqual([before.axis, after.axis, before.names[0]], ["query", "query", "h · u₁"]);
});

test("where one side would be a point, each has its own scale", () => {
  assert.deepEqual(
    sidesOf("w_k", found([[1, 0]], [[0, 9]])).map(({ edge }) => edge),
    [1, 9],
  );
});

test("of the product queries meet keys, each in their own scale", () => {
  const [queries, keys] = sidesOf("w_qk", found([[1, 2]], [[3, null]]));
  assert.equal(isProduct("w_qk"), true);
  assert.deepEqual([queries.axis, keys.axis, queries.edge, keys.edge], ["query", "key", 2, 3]);
  assert.deepEqual(keys.names, ["x · v₁", "x · v₂"]);
});

test("nothing at all still has an edge", () => {
  assert.ok(sidesOf("w_q", found([[0, 0]], [[0, 0]]))[0].edge > 0);
});

test("names take the first free place, and none where there is no room", () => {
  const [alone] = labelPlaces([[100, 100]], [30], 200);
  assert.equal(alone["text-anchor"], "start");
  const [left, right] = labelPlaces(
    [
      [100, 100],
      [110, 100],
    ],
    [30, 30],
    200,
  );
  assert.deepEqual([left["text-anchor"], right["text-anchor"]], ["end", "start"]);
  assert.deepEqual(labelPlaces([[100, 100]], [300], 200), [null]);
  const [beside] = labelPlaces([[100, 100]], [30], 200, [[120, 90, 200, 100]]);
  assert.equal(beside["text-anchor"], "end");
});

test("what is not seen stands beside the principal components, and neither of a product", () => {
  const unseen = { dimensions: 2, share: 0.5, shares: [0.5], tokens: [[3, -4]] };
  const principal = { shares: [0.6, 0.305], tokens: [[1, 0]] };
  const [lost, spread] = unseenSides("w_v", { ...found([], []), unseen }, principal);
  assert.deepEqual([lost.side.axis, lost.side.names, lost.side.edge], ["key", ["x · n₁", "x · n₂"], 4]);
  assert.deepEqual([spread.side.axis, spread.side.names], ["query", ["p₁, 60\u202f%", "p₂, 31\u202f%"]]);
  assert.deepEqual(unseenSides("w_qk", { ...found([], []), unseen: null }, principal), []);
  const all = { ...unseen, dimensions: 0, tokens: [[]] };
  assert.deepEqual(unseenSides("w_q", { ...found([], []), unseen: all }, { shares: [], tokens: [[]] }), []);
});
