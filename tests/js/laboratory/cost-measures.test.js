import assert from "node:assert/strict";
import test from "node:test";
import * as measures from "../../../static/js/laboratory/cost-measures.js";
import { serve } from "../support/server.js";
import { stateOf } from "../support/state.js";

const { changeSize, choicesOf, fetchCosts, pathOf, sizesOf, sizesText } = measures;
const BASE = { n: 1024, d_model: 512, num_heads: 8, num_kv_heads: 8 };

test("sizes are those of the address, or else of the answer", () => {
  const { shape } = stateOf("cat").answer.reply;
  const own = { n: shape.n, d_model: shape.d_model, num_heads: shape.num_heads, num_kv_heads: shape.num_kv_heads };
  assert.deepEqual(sizesOf(stateOf("cat")), own);
  assert.deepEqual(sizesOf(stateOf("cat", { sizes: sizesText(BASE) })), BASE);
  for (const sizes of ["", "1", "1.2.3", "0.512.8.8", "9.512.7.7", "9.512.8.3", "9.5.x.1", "1e9.512.8.8"])
    assert.deepEqual(sizesOf(stateOf("cat", { sizes })), own, sizes);
});

test("a slider offers powers of two, heads that divide, and what there is", () => {
  assert.deepEqual(choicesOf({ ...BASE, n: 12 }, "n").slice(0, 6), [1, 2, 4, 8, 12, 16]);
  assert.deepEqual(choicesOf({ ...BASE, d_model: 12, num_heads: 6 }, "num_heads"), [1, 2, 3, 4, 6, 12]);
  assert.deepEqual(choicesOf({ ...BASE, num_heads: 6 }, "num_kv_heads").slice(0, 4), [1, 2, 3, 6]);
});

test("heads that do not divide any more become the most that do", () => {
  assert.deepEqual(changeSize(BASE, "num_heads", 4), { ...BASE, num_heads: 4, num_kv_heads: 4 });
  const narrow = changeSize({ ...BASE, d_model: 24, num_heads: 12, num_kv_heads: 6 }, "d_model", 16);
  assert.deepEqual(narrow, { n: 1024, d_model: 16, num_heads: 8, num_kv_heads: 4 });
});

test("the answer's own heads are asked with their widths", async () => {
  const asked = serve(() => ({}));
  const { d_k, d_v } = stateOf("cat").answer.reply.shape;
  assert.match(pathOf(stateOf("cat")), new RegExp(`d_k=${d_k}&d_v=${d_v}&dtype=float64$`));
  await fetchCosts(pathOf(stateOf("cat", { sizes: sizesText(BASE) })));
  assert.equal(asked[0].path.split("?")[1], "n=1024&d_model=512&num_heads=8&num_kv_heads=8&dtype=float64");
});
