import assert from "node:assert/strict";
import test from "node:test";
import { stageOf } from "../../../static/js/core/page.js";
import { pictureOf, scaleOf } from "../../../static/js/core/picture.js";
import { answerOf } from "../support/made.js";
import { answer, page } from "../support/sent.js";

const SHUT = -Infinity;
const HERE = { batch: 0, layer: 0, head: 0 };
const picture = (from, name, selection = HERE) => pictureOf(page, from, stageOf(page, name), selection);

test("weights are closed where the masked scores are, and closed cells have no extent", () => {
  const one = answerOf({
    weights: [
      [
        [
          [1, 0.9],
          [0.25, 0.75],
        ],
      ],
    ],
    masked_scores: [
      [
        [
          [3, SHUT],
          [1, 2],
        ],
      ],
    ],
  });
  const map = picture(one, "weights");
  assert.deepEqual(Array.from(map.holes), [3, SHUT, 1, 2]);
  assert.deepEqual([map.size, map.most], [1, 1]);
  assert.deepEqual(Array.from(map.values), [1, 0.9, 0.25, 0.75]);
  assert.equal(picture(one, "masked_scores").holes, null);
});

test("scaled and masked scores have one extent, whatever the mask closes", () => {
  const [scaled, masked] = [
    [1, -7, 2, 3],
    [1, SHUT, 2, 3],
  ].map(([a, b, c, d]) => [
    [
      [
        [a, b],
        [c, d],
      ],
    ],
  ]);
  const both = answerOf({ scaled_scores: scaled, masked_scores: masked });
  const [before, after] = ["scaled_scores", "masked_scores"].map((name) => picture(both, name));
  assert.deepEqual([before.size, after.size], [7, 7]);
  assert.deepEqual([before.most, after.most], [3, 3]);
  assert.equal(picture(answerOf({ masked_scores: masked }), "masked_scores").size, 3, "alone it has its own");
});

test("padding is shown along the axes that count tokens", () => {
  const batch = answer("batch"); // two tokens beside five
  const [map, q, x] = ["weights", "q", "x"].map((name) => picture(batch, name));
  assert.deepEqual([map.rows, map.cols, map.realRows, map.realCols], [5, 5, 2, 2]);
  assert.deepEqual([q.realRows, q.realCols], [2, Infinity]);
  assert.equal(x.realRows, 2);
  assert.equal(picture(batch, "weights", { ...HERE, batch: 1 }).realRows, 5);
});

test("across two texts rows are the sentence's and columns the context's", () => {
  const map = picture(answer("cross"), "weights");
  assert.deepEqual([map.rows, map.cols, map.realRows, map.realCols], [2, 4, 2, 4]);
});

test("a picture is made once, and there is none of what the answer does not hold", () => {
  const cat = answer("cat");
  assert.equal(picture(cat, "scores"), picture(cat, "scores"));
  assert.notEqual(picture(cat, "scores"), picture(cat, "scores", { ...HERE, head: 1 }));
  assert.equal(picture(cat, "scores", { ...HERE, layer: 3 }), null);
});

test("a signed stage is centred on zero, and one of zeros has a scale all the same", () => {
  const scores = stageOf(page, "scores");
  assert.deepEqual(scaleOf({ size: 3, most: 1 }, scores, "data"), { low: -3, high: 3 });
  assert.deepEqual(scaleOf({ size: 0, most: 0 }, scores, "fixed"), { low: -1, high: 1 });
});

test("weights over many keys go by their root from 0 to 1, unless the reader says how", () => {
  const weights = stageOf(page, "weights");
  const root = (cols, range, keys) => Boolean(scaleOf({ size: 1, most: 1, cols, keys }, weights, range).root);
  assert.deepEqual([root(64, "auto"), root(65, "auto"), root(64, "auto", 65)], [false, true, true]);
  assert.deepEqual(
    ["fixed", "row", "data"].map((range) => root(128, range)),
    [false, false, false],
  );
  const { low, high, byRow } = scaleOf({ size: 0.1, most: 0.1, cols: 128 }, weights, "auto");
  assert.deepEqual([low, high, byRow], [0, 1, false]);
});

test("weights run from 0 to 1, to the largest, or to the largest of each row", () => {
  const weights = stageOf(page, "weights");
  const scale = (range, most = 0.25) => {
    const { low, high, byRow } = scaleOf({ size: most, most }, weights, range);
    return [low, high, Boolean(byRow)];
  };
  assert.deepEqual(scale("fixed"), [0, 1, false]);
  assert.deepEqual(scale("data"), [0, 0.25, false]);
  assert.deepEqual(scale("data", 0), [0, 1, false]);
  assert.equal(scale("row")[2], true);
});
