import assert from "node:assert/strict";
import test from "node:test";
import { figureOf } from "../../../static/js/share/stage-figure.js";
import { newDocument } from "../support/document.js";
import { answerOf } from "../support/made.js";
import { page } from "../support/sent.js";
import { storeOf } from "../support/state.js";

newDocument();
const SHUT = -Infinity;
const MADE = {
  weights: [
    [
      [
        [1, 0],
        [0.25, 0.75],
      ],
    ],
  ],
  masked_scores: [
    [
      [
        [1, SHUT],
        [1, 2],
      ],
    ],
  ],
};
const draw = (name, wish = {}, view = {}) =>
  figureOf(storeOf("cat", view, { answer: answerOf(MADE) }), name, { title: "", numbers: true, ...wish });
const texts = ({ svg }) => [...svg.matchAll(/<text [^>]*>([^<]*)</g)].map(([, text]) => text);

test("a stage on paper is called by its own name, or as it is wished", () => {
  assert.equal(texts(draw("weights"))[0], page.messages["stage.weights"]);
  assert.equal(texts(draw("weights", { title: "Figure 1" }))[0], "Figure 1");
});

test("its tokens stand at both sides, and its numbers in the cells that are open", () => {
  const all = texts(draw("weights"));
  assert.equal(all.filter((text) => text === "cat").length, 2);
  assert.deepEqual(
    all.filter((text) => /^\d\.\d\d$/.test(text)),
    ["1.00", "0.25", "0.75"],
  );
});

test("a name is in the middle of its row, and a number in the middle of its cell", () => {
  const { svg } = draw("weights");
  const at = ([, x, y]) => [Number(x), Number(y)];
  const cells = [...svg.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" fill="#/g)];
  const middles = cells.map((cell) => [Number(cell[1]) + Number(cell[3]) / 2, Number(cell[2]) + Number(cell[4]) / 2]);
  const numbers = [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)" [^>]*>\d\.\d\d</g)].map(at);
  assert.deepEqual(
    numbers,
    middles.map(([x, y]) => [x, y + 3]),
  );
  const rows = [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)" text-anchor="end">/g)].map(at);
  assert.deepEqual(
    rows.map(([, y]) => y),
    [...new Set(middles.map(([, y]) => y + 4))],
  );
});

test("a long name is its beginning and its place", () => {
  for (const [length, shown] of [
    [33, `${"x".repeat(32)}…₁`],
    [32, `${"x".repeat(32)}₁`],
  ]) {
    const twice = [Array(2).fill("x".repeat(length))]; // equal words are told apart by their places
    const store = storeOf("cat", {}, { answer: answerOf(MADE, { tokens: twice }) });
    const all = texts(figureOf(store, "weights", { title: "", numbers: false }));
    assert.equal(all.filter((text) => text === shown).length, 2);
  }
});

test("whether cells are few enough for numbers is shown", () => {
  const keys = Array(17).fill(1 / 17);
  const answer = answerOf({ weights: [[[keys]]] }, { shape: { n: 1, m: 17 }, lengths: [17] });
  const wide = figureOf(storeOf("cat", {}, { answer }), "weights", { title: "", numbers: true });
  assert.deepEqual([draw("weights").few, wide.few], [true, false]);
});

test("numbers can be left out", () => {
  assert.ok(!texts(draw("weights", { numbers: false })).some((text) => /^\d\.\d\d$/.test(text)));
});

test("what the hatch means is said where something is closed", () => {
  assert.ok(texts(draw("weights")).includes(page.messages["legend.masked"]));
  const open = answerOf({
    weights: [
      [
        [
          [1, 0],
          [0.5, 0.5],
        ],
      ],
    ],
    masked_scores: [
      [
        [
          [1, 1],
          [1, 1],
        ],
      ],
    ],
  });
  const figure = figureOf(storeOf("cat", {}, { answer: open }), "weights", { title: "", numbers: false });
  assert.ok(!texts(figure).includes(page.messages["legend.masked"]));
});

test("over many keys the legend is that of the root: half way along is a quarter", () => {
  const keys = Array(65).fill(1 / 65);
  const long = answerOf({ weights: [[[keys]]] }, { shape: { n: 1, m: 65 }, lengths: [65] });
  const ends = (range) => {
    const store = storeOf("cat", { range }, { answer: long });
    return texts(figureOf(store, "weights", { title: "", numbers: false })).slice(-3);
  };
  assert.deepEqual(ends("auto"), ["0", "1, √", "0.25"]);
  assert.deepEqual(ends("fixed").slice(1), ["0", "1"]);
});

test("a title cannot break out of the picture", () => {
  const { svg } = draw("weights", { title: '</text><script>"&' });
  assert.ok(svg.includes("&#60;/text&#62;&#60;script&#62;&#34;&#38;") && !svg.includes("<script"));
});

test("there is no picture of what the answer does not hold", () => {
  assert.equal(draw("concat"), null);
});
