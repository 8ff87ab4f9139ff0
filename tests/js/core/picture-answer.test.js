import assert from "node:assert/strict";
import test from "node:test";
import { stageOf } from "../../../static/js/core/page.js";
import { PictureAnswer, keyOf, placeOf } from "../../../static/js/core/picture-answer.js";
import { reply } from "../support/made.js";
import { answer, page } from "../support/sent.js";

const shape = { batch: 1, num_layers: 2, num_heads: 4, num_kv_heads: 2, n: 5, m: 5, d_model: 8, d_k: 2, d_v: 2 };
const here = { batch: 0, layer: 1, head: 3 };

test("heads share keys and values, and a stage without heads is of none", () => {
  const headOf = (name) => placeOf(stageOf(page, name), here, reply({ shape })).head;
  assert.deepEqual(["q", "k", "v", "weights", "x", "output"].map(headOf), [3, 1, 1, 3, 0, 0]);
});

test("an answer holds the pictures that came, and no numbers", () => {
  const block = { rows: 5, cols: 5 };
  const pictures = new Map([[keyOf({ name: "k", batch: 0, layer: 1, head: 1 }), { block }]]);
  const own = new PictureAnswer(reply({ shape }), 3, pictures, {});
  assert.equal(own.block(stageOf(page, "k"), here), block);
  assert.equal(own.block(stageOf(page, "k"), { ...here, head: 0 }), null);
  assert.equal(own.block(stageOf(page, "q"), here), null);
  assert.deepEqual([own.heads, own.tensors.size, own.ownHead(stageOf(page, "v"), 2)], [[3], 0, 1]);
});

test("of another layer it is the same pictures with what the reply says of it, the same one each time", () => {
  const { reply: whole } = answer("decoder");
  const own = new PictureAnswer(whole, 0, new Map(), {});
  const asks = own.at(1);
  assert.equal(own.at(1), asks);
  assert.equal(asks.pictures, own.pictures);
  assert.ok(asks instanceof PictureAnswer);
  assert.notEqual(own.at(0).reply, asks.reply);
});
