import assert from "node:assert/strict";
import test from "node:test";
import { DEFAULT_VIEW } from "../../../static/js/core/address/fields.js";
import { combinedPath, combinedQuery } from "../../../static/js/share/combined-map-file.js";
import { answer } from "../support/sent.js";

/** A state that looks at an answer of tests/js. */
function stateOf(name, view) {
  const own = answer(name);
  return { answer: own, every: { answer: own }, view: { ...DEFAULT_VIEW, ...view } };
}

test("several heads are asked for in the Heads and Lines tabs alone", () => {
  const heads = [
    [0, 1],
    [1, 0],
  ];
  const query = { combine: "max", heads: "0.1_1.0", batch: 0 };
  for (const tab of ["heads", "lines"])
    assert.deepEqual(combinedQuery(stateOf("layers", { tab, heads, combine: "max" })), query);
  assert.equal(combinedQuery(stateOf("layers", { heads })), null);
  assert.equal(combinedQuery(stateOf("layers", { tab: "heads" })), null);
  assert.equal(combinedQuery({ ...stateOf("layers", { tab: "heads", heads }), answer: null }), null);
});

test("rollout is asked for up to the selected layer, where there are several and no context", () => {
  const view = { tab: "heads", rollout: true, layer: 1 };
  assert.deepEqual(combinedQuery(stateOf("layers", view)), { combine: "rollout", layer: 1, batch: 0 });
  const other = stateOf("layers", { ...view, combine: "max", discard: 0.9 });
  assert.deepEqual(combinedQuery(other), { combine: "rollout_max", layer: 1, batch: 0, discard: 0.9 });
  assert.equal(combinedQuery(stateOf("cat", view)), null);
  assert.equal(combinedQuery(stateOf("decoder", view)), null);
});

test("the address is one of the API", () => {
  const path = combinedPath("abc", { combine: "mean", heads: "0.1_1.0", format: "csv" });
  assert.equal(path, "/api/v1/traces/abc/together?combine=mean&heads=0.1_1.0&format=csv");
});
