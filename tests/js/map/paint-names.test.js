import assert from "node:assert/strict";
import test from "node:test";
import { truncate, nameStep, namedTokens, NamePainter, roomIn } from "../../../static/js/map/paint-names.js";
import { newDocument } from "../support/document.js";
import { sheetOfPaper } from "../support/sheet.js";

test("as many names as have room, by powers of two", () => {
  assert.equal(nameStep(20, 14), 1);
  assert.equal(nameStep(14, 14), 1);
  assert.equal(nameStep(13, 14), 2);
  assert.equal(nameStep(0.01, 14), 2048);
});

test("the same tokens are named wherever the map is moved to", () => {
  assert.deepEqual(namedTokens([0, 10], 4), [0, 4, 8]);
  assert.deepEqual(namedTokens([3, 10], 4), [4, 8]);
  assert.deepEqual(namedTokens([5, 8], 4), []);
  assert.deepEqual(namedTokens([5, 8], 1), [5, 6, 7]);
});

test("a name is cut where it has no room, between signs and not within one", () => {
  const measure = (text) => [...text].length;
  assert.equal(truncate("street", 6, measure), "street");
  assert.equal(truncate("street", 4, measure), "str…");
  assert.equal(truncate("🐈🐈🐈🐈", 3, measure), "🐈🐈…");
  assert.equal(truncate("street", 0, measure), "s");
});

newDocument();
const INK = { ink: "black", muted: "grey", query: "blue", key: "orange", family: "sans" };
const tokens = (name) => ({ nameOf: name, here: true });
const sheet = (n, name) => ({ size: { rows: n, cols: n }, tokens: { query: tokens(name), key: tokens(name) } });
const TITLES = ["query ↓", "key →"];
const ROOM = { left: 50, top: 60, width: 200, height: 200 };

/** Names drawn of a map: the texts, in order. */
function drawn(map, place, span, lit = { row: null, col: null }) {
  const paper = sheetOfPaper();
  new NamePainter(paper.context).draw(map, place, ROOM, span, INK, lit, TITLES);
  return paper;
}

test("every token is named where there is room, beside its row and over its column", () => {
  const { drawn: all } = drawn(
    sheet(2, (at) => `t${at}`),
    { row: 1, col: 1, scale: 80 },
    { rows: [0, 2], cols: [0, 2] },
  );
  const texts = all.filter(({ name }) => name === "fillText").map(({ all: [text, x, y] }) => [text, x, y]);
  assert.deepEqual(texts.slice(0, 2), [
    ["t0", 65, 120],
    ["t1", 65, 200],
  ]);
  assert.deepEqual(texts.slice(2, 4), [
    ["t0", 110, 69.5],
    ["t1", 190, 69.5],
  ]);
  assert.deepEqual(
    texts.slice(4).map(([text]) => text),
    ["key →", "query ↓"],
  );
});

test("of many tokens some are named, and the one that is lit", () => {
  const place = { row: 50, col: 50, scale: 2 };
  const span = { rows: [0, 100], cols: [0, 100] };
  const { drawn: all, of } = drawn(
    sheet(100, (at) => `t${at}`),
    place,
    span,
    { row: [33, 34], col: null },
  );
  const rows = of("fillText").map(([text]) => text);
  const named = "t0 t8 t16 t24 t48 t56 t64 t72 t80 t88 t96 t33"; // 32 and 40 would touch it
  assert.deepEqual(rows.slice(0, 12), named.split(" "));
  assert.match(all.find(({ all: [text] }) => text === "t33").font, /^650/);
});

test("a name that is wider than its column is turned, one in Chinese is stacked, a long one is cut", () => {
  const place = { row: 1, col: 1, scale: 20 };
  const span = { rows: [0, 1], cols: [0, 2] };
  const names = ["street", "因为鱼"];
  const { of } = drawn(
    sheet(2, (at) => names[at]),
    place,
    span,
  );
  assert.equal(of("rotate").length, 1);
  const texts = of("fillText").map(([text]) => text);
  assert.ok(["因", "为", "鱼"].every((sign) => texts.includes(sign)));
  const long = drawn(
    sheet(1, () => "extraordinarily"),
    { row: 0.5, col: 0.5, scale: 20 },
    { rows: [0, 1], cols: [0, 1] },
  );
  assert.ok(long.of("fillText").some(([text]) => /^extra.*…$/.test(text)));
});

test("the names have their room, never more than a fifth of a narrow frame", () => {
  const { left, top, width, height } = roomIn(
    { width: 300, height: 400 },
    sheet(500, () => "word"),
    "sans",
    TITLES,
  );
  assert.ok(left <= 300 / 5 + 10 && top <= 300 / 5 + 10);
  assert.ok(left + width < 300 && top + height < 400);
});
