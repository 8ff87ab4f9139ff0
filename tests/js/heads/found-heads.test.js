import assert from "node:assert/strict";
import test from "node:test";
import { namedHeads, headsByKind, headsCsv } from "../../../static/js/heads/found-heads.js";
import { page } from "../support/sent.js";

const HEADS = [
  [{ previous: 0.74 }, { own: 0.3 }, { first: 0.99 }],
  [{ induction: 0.97 }, { previous: 0.5, induction: 0.5 }, { first: 0.98 }],
];
const places = (rows) => rows.map(({ layer, head, value }) => [layer, head, value]);

test("heads that have a name on the random tokens are shown, the clearest first", () => {
  assert.deepEqual(places(namedHeads(page, { heads: HEADS })), [
    [0, 2, 0.99],
    [1, 2, 0.98],
    [1, 0, 0.97],
    [0, 0, 0.74],
  ]);
});

test("they are shown by kind, those that leave their weight on the first token last, and five of each", () => {
  const kinds = headsByKind(page, { heads: HEADS }, "");
  assert.deepEqual(
    kinds.map(({ kind, rows, more }) => [kind, rows.length, more]),
    [
      ["induction", 1, 0],
      ["previous", 1, 0],
      ["first", 2, 0],
    ],
  );
  const many = { heads: [Array.from({ length: 8 }, () => ({ first: 0.9 }))] };
  assert.deepEqual(
    headsByKind(page, many, "").map(({ rows, more }) => [rows.length, more]),
    [[5, 3]],
  );
  assert.equal(headsByKind(page, many, "first")[0].rows.length, 8);
  assert.deepEqual(headsByKind(page, many, "induction"), []);
});

test("a file has every head, named or not, on random tokens and on the text", () => {
  const metrics = [
    { layer: 1, head: 0, entropy: 0.5, distance: 2, first: 0.1, previous: 0, own: 0.25, induction: null },
  ];
  const [titles, ...lines] = headsCsv(page, { heads: HEADS }, metrics).trimEnd().split("\n");
  const columns = titles.split(",");
  assert.equal(lines.length, 6);
  const of = (line) => Object.fromEntries(line.split(",").map((value, at) => [columns[at], value]));
  assert.deepEqual(
    [of(lines[3]).name, of(lines[3]).induction, of(lines[3]).text_entropy, of(lines[3]).text_induction],
    ["induction", "0.97", "0.5", ""],
  );
  assert.deepEqual([of(lines[1]).name, of(lines[1]).own, of(lines[1]).text_own], ["", "0.3", ""]);
});
