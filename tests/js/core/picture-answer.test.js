import assert from "node:assert/strict";
import test, { describe } from "node:test";
import { stageOf } from "../../../static/js/core/page.js";
import { PictureAnswer, keyOf, placeOf, HeadPictures } from "../../../static/js/core/picture-answer.js";
import { reply } from "../support/made.js";
import { answer, page } from "../support/sent.js";

describe("picture answer", () => {
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
});

describe("head pictures", () => {
  const shape = { batch: 1, num_layers: 2, num_heads: 2, num_kv_heads: 2, n: 6, m: 6, d_model: 4, d_k: 2, d_v: 2 };
  const weights = { name: "weights" };
  const numbers = { of: () => () => undefined, want: () => true };

  /** Pictures of 3 × 3 points: every byte says which head it is of. */
  function start(pictures = new Map()) {
    const bytes = Uint8Array.from({ length: 4 * 9 }, (_, at) => 10 * Math.floor(at / 9));
    const thumbnails = { bytes, shape: [2, 2, 3, 3], range: [0, 1], batch: 0, size: 4 };
    return new HeadPictures(reply({ shape, lengths: [6] }), thumbnails, pictures, numbers);
  }

  test("each head has its part of the bytes, as squares of its map", () => {
    const block = start().block(weights, { batch: 0, layer: 1, head: 0 });
    assert.deepEqual([block.rows, block.cols, block.coarse.side, block.coarse.points], [6, 6, [2, 2], [3, 3]]);
    assert.ok([...block.coarse.values].every((value) => Math.abs(value - (20 / 254) ** 2) < 1e-6));
    assert.ok(Math.abs(block.coarse.extent.most - (20 / 254) ** 2) < 1e-6, "its own largest, not that of all");
  });

  test("it is made once, and there is none of another stage or sentence", () => {
    const all = start();
    const at = { batch: 0, layer: 0, head: 1 };
    assert.equal(all.block(weights, at), all.block(weights, at));
    assert.equal(all.block({ name: "masked_scores" }, at), null);
    assert.equal(all.block(weights, { ...at, batch: 1 }), null);
  });

  test("a finer picture goes before a small one", () => {
    const fine = { block: { rows: 6, cols: 6 } };
    const at = { batch: 0, layer: 0, head: 1 };
    const all = start(new Map([[keyOf({ ...weights, ...at }), fine]]));
    assert.equal(all.block(weights, at), fine.block);
  });
});
