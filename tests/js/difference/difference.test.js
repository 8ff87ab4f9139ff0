import assert from "node:assert/strict";
import test from "node:test";
import { labelsOf } from "../../../static/js/core/answer.js";
import { Difference, signed } from "../../../static/js/difference/difference.js";
import { stageOf } from "../../../static/js/core/page.js";
import { pictureOf, scaleOf } from "../../../static/js/core/picture.js";
import { answerOf } from "../support/made.js";
import { page } from "../support/sent.js";

const SHUT = -Infinity;
const HERE = { batch: 0, layer: 0, head: 0 };
const stage = (name) => stageOf(page, name);

/** An answer over words; its q are numbers of their own. */
function over(words, stages, more = {}) {
  const n = words.length;
  return answerOf(stages, { tokens: [words], lengths: [n], shape: { n, m: n }, trace: words.join("-"), ...more });
}
const A = () =>
  over(["the", "cat"], {
    q: [
      [
        [
          [1, 2],
          [3, 4],
        ],
      ],
    ],
    x: [[[0], [1]]],
  });
const B = () =>
  over(["the", "big", "cat"], {
    q: [
      [
        [
          [1, 1],
          [9, 9],
          [5, 4],
        ],
      ],
    ],
    x: [[[0], [5], [3]]],
  });
const values = (block) => [...block.values];

test("b − a stands where both have a number, and nothing where one has none", () => {
  const { rows, cols, values: by } = new Difference(page, A(), B(), "position").block(stage("q"), HERE);
  assert.deepEqual([rows, cols], [3, 2]);
  assert.deepEqual([...by], [0, -1, 6, 5, SHUT, SHUT]);
});

test("aligned by edits equal words stand beside each other", () => {
  const difference = new Difference(page, A(), B(), "edit");
  assert.deepEqual(values(difference.block(stage("q"), HERE)), [0, -1, SHUT, SHUT, 2, 0]);
  assert.deepEqual(difference.reply.tokens, [["the", "big", "cat"]]);
});

test("tokens that take each other's place are named together, and what stands alone by itself", () => {
  const a = over(["a", "cat", "ran"], {});
  const b = over(["a", "dog"], {});
  const { reply } = new Difference(page, a, b, "position");
  assert.deepEqual(reply.tokens, [["a", "cat/dog", "ran"]]);
  assert.deepEqual([reply.lengths, reply.shape.n, reply.context_tokens], [[3], 3, null]);
});

test("bytes are named by their character, and white space and combining marks have names", () => {
  const a = over(["的", " ", " a", "e", "u"], {});
  const b = over(
    ["<E5>", "<AF>", "<B9>", "\u0301", "u", "<E5>", "<AF>", "<B9>"],
    {},
    {
      continues: [[false, true, true, false, false, false, true, true]],
    },
  );
  const names = new Difference(page, a, b, "position").reply;
  assert.deepEqual(names.tokens, [["的/对", "␣/对", " a/对", "e/◌\u0301", "u", "对", "对", "对"]]);
  const back = new Difference(page, b, a, "position").reply;
  assert.deepEqual(
    labelsOf(back, 0).map(({ text, char = text }) => char),
    ["对/的", "对/␣", "对/a", "◌\u0301/e", "u", "对", "对", "对"],
  );
});

test("features have their counterparts by number", () => {
  const wide = over(["the", "cat"], {
    q: [
      [
        [
          [1, 2, 3],
          [3, 4, 5],
        ],
      ],
    ],
  });
  assert.deepEqual(values(new Difference(page, A(), wide, "position").block(stage("q"), HERE)), [
    0,
    0,
    SHUT,
    0,
    0,
    SHUT,
  ]);
});

test("a weight that one side masks is 0 there, one that both mask has no number", () => {
  const weights = (all, masked) => over(["a", "b"], { weights: [[all]], masked_scores: [[masked]] });
  const a = weights(
    [
      [1, 0],
      [0.5, 0.5],
    ],
    [
      [2, SHUT],
      [1, 1],
    ],
  );
  const b = weights(
    [
      [1, 0],
      [1, 0],
    ],
    [
      [2, SHUT],
      [1, SHUT],
    ],
  );
  const difference = new Difference(page, a, b, "position");
  assert.deepEqual(values(difference.block(stage("weights"), HERE)), [0, SHUT, 0.5, -0.5]);
  assert.equal(difference.maskedOnce(stage("masked_scores"), HERE), 1);
  assert.equal(difference.maskedOnce(stage("weights"), HERE), 0);
});

test("a score that one side alone masks has no difference", () => {
  const masked = (rows) => over(["a", "b"], { masked_scores: [[rows]] });
  const [a, b] = [
    masked([
      [1, SHUT],
      [1, 1],
    ]),
    masked([
      [3, 4],
      [SHUT, 1],
    ]),
  ];
  const block = new Difference(page, a, b, "position").block(stage("masked_scores"), HERE);
  assert.deepEqual(values(block), [2, SHUT, SHUT, 0]);
});

test("a cell is found in each side and back again; without a counterpart it is nowhere", () => {
  const difference = new Difference(page, A(), B(), "edit");
  const cell = { stage: "q", row: 2, col: 1, keys: true };
  assert.deepEqual(difference.toSide(cell, "a", 0), { ...cell, row: 1 });
  assert.deepEqual(difference.fromSide({ ...cell, row: 1 }, "a", 0), cell);
  assert.equal(difference.toSide({ ...cell, row: 1 }, "a", 0), null);
  assert.deepEqual(difference.toSide({ ...cell, row: 1 }, "b", 0), { ...cell, row: 1 });
  assert.equal(difference.fromSide({ ...cell, row: 7 }, "b", 0), null);
});

test("how far two lie apart: the largest, where it is, the mean, and how many cells have a number", () => {
  const difference = new Difference(page, A(), B(), "position");
  assert.deepEqual(difference.measure(stage("q"), HERE), { max: 6, mean: 12 / 4, cells: 4, row: 1, col: 0, masked: 0 });
  assert.equal(difference.measure(stage("scores"), HERE), null);
});

test("beside each other both sides have the colours of the larger", () => {
  const difference = new Difference(page, A(), B(), "position");
  const sizes = ["a", "b"].map((side) => pictureOf(page, difference.sides[side], stage("q"), HERE).size);
  assert.deepEqual(sizes, [9, 9]);
  assert.notEqual(difference.sides.a.reply.trace, difference.a.reply.trace);
});

test("both sides have the scale of the one with more keys", () => {
  const words = (n) => over(Array(n).fill("a"), { weights: [[Array(n).fill(Array(n).fill(1 / n))]] });
  const { sides } = new Difference(page, words(2), words(65), "position");
  const roots = ["a", "b"].map(
    (side) => scaleOf(pictureOf(page, sides[side], stage("weights"), HERE), stage("weights"), "auto").root,
  );
  assert.deepEqual(roots, [true, true]);
});

test("a difference is drawn with a sign, whatever the stage", () => {
  assert.deepEqual(signed(stage("weights")), { ...stage("weights"), kind: "difference" });
});

test("sentences beyond the shorter batch are in no difference", () => {
  const two = answerOf({}, { tokens: [["a"], ["b"]], lengths: [1, 1], shape: { batch: 2, n: 1, m: 1 } });
  const { reply } = new Difference(page, two, over(["a"], {}), "position");
  assert.deepEqual([reply.shape.batch, reply.lengths], [1, [1]]);
});

test("keys of two contexts are aligned by themselves", () => {
  const cross = (keys) =>
    over(["a"], {}, { context_tokens: [keys], context_lengths: [keys.length], shape: { n: 1, m: keys.length } });
  const difference = new Difference(page, cross(["p", "q"]), cross(["q"]), "edit");
  assert.deepEqual(difference.tokenPairs(0, "key"), [
    [0, null],
    [1, 0],
  ]);
  assert.deepEqual([difference.reply.context_tokens, difference.reply.shape.m], [[["p", "q"]], 2]);
});
