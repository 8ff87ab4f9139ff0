import assert from "node:assert/strict";
import test from "node:test";
import { mergeSmallParts, kindOf, strongest } from "../../../static/js/why/parts-table.js";

const of = (...names) => names.map((name) => ({ of: name }));
const TOLD = {
  score: 5,
  query_parts: of("embedding", "L0H0", "bias"),
  key_parts: of("embedding", "L0H0", "L0H1"),
  values: [
    [1, 0, -6],
    [2, 1, 3],
    [0, 4, 0],
  ],
};

test("a small matrix stays as it is", () => {
  assert.deepEqual(mergeSmallParts(TOLD, 3), {
    rows: ["embedding", "L0H0", "bias"],
    cols: ["embedding", "L0H0", "L0H1"],
    values: TOLD.values,
  });
});

test("of a large one the smaller parts are taken together, and the sum stays", () => {
  const { rows, cols, values } = mergeSmallParts(TOLD, 2);
  assert.deepEqual(
    [rows, cols],
    [
      ["embedding", "rest"],
      ["L0H1", "rest"],
    ],
  );
  assert.deepEqual(values, [
    [-6, 1],
    [3, 7],
  ]);
  assert.equal(
    values.flat().reduce((sum, value) => sum + value, 0),
    TOLD.score,
  );
});

test("the strongest part is shown by who wrote either side, whatever its sign", () => {
  assert.deepEqual(strongest(TOLD), { query: "embedding", key: "L0H1", value: -6 });
});

test("a part is an embedding, a head, an MLP or a bias", () => {
  assert.deepEqual(kindOf("L10H3"), { kind: "head", layer: 10, head: 3 });
  assert.deepEqual(kindOf("mlp 2"), { kind: "mlp", layer: 2 });
  assert.deepEqual(
    ["embedding", "bias", "rest"].map((each) => kindOf(each).kind),
    ["embedding", "bias", "rest"],
  );
});
