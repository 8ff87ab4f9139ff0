import assert from "node:assert/strict";
import test from "node:test";
import {
  LINES_PER_TOKEN,
  linesBetween,
  partnersOf,
  partAround,
  strongestOf,
  ShownTokens,
} from "../../../static/js/lines/line-window.js";
import { storeOf } from "../support/state.js";

const LONG = { own: 2000, others: 2000 };

test("the tokens around one are seen, inside the text, and stay as long as it is among them", () => {
  const part = partAround("query", LONG, 1000, null);
  assert.deepEqual(part, { lead: "query", from: 988, to: 1012 });
  assert.equal(partAround("query", LONG, 990, part), part);
  assert.deepEqual(partAround("query", LONG, 5, part), { lead: "query", from: 0, to: 24 });
  assert.deepEqual(partAround("query", LONG, 1999, part), { lead: "query", from: 1976, to: 2000 });
  assert.deepEqual(partAround("key", LONG, 1000, part), { lead: "key", from: 988, to: 1012 });
});

test("of a text of many tokens fewer are seen together, since each is read as a whole", () => {
  const sizes = [5000, 40_000, 131_072].map((n) => partAround("query", { own: n, others: n }, 0, null).to);
  assert.deepEqual(sizes, [24, 10, 4]);
  assert.equal(partAround("query", { own: 3, others: 2000 }, 2, null).to, 3);
});

test("a part that the text has become too short for is left", () => {
  const part = partAround("query", LONG, 1999, null);
  assert.deepEqual(partAround("query", { own: 1000, others: 1000 }, 999, part), { lead: "query", from: 976, to: 1000 });
});

/** Each query looks at the first token, at itself, at the one before, and a little at all. */
const weightAt = (row, col) =>
  col > row ? -Infinity : col === 0 ? 0.5 : col === row ? 0.3 : col === row - 1 ? 0.1 : 0.001;

test("each token has its strongest lines, closed cells none", () => {
  const [first, , , last] = strongestOf({ lead: "query", from: 0, to: 4 }, 10, weightAt);
  assert.deepEqual(first, [{ row: 0, col: 0, weight: 0.5 }]);
  assert.deepEqual(
    last.map(({ col }) => col),
    [0, 3, 2],
  );
  assert.equal(last.length, LINES_PER_TOKEN);
});

test("what a part meets is what each of its tokens meets most, then the largest of the rest, in order", () => {
  const part = { lead: "query", from: 100, to: 124 };
  const strongest = strongestOf(part, 200, weightAt);
  assert.deepEqual(partnersOf(part, strongest), [0, ...Array.from({ length: 25 }, (_, at) => 99 + at)]);
  const back = { lead: "key", from: 100, to: 104 };
  const looking = partnersOf(back, strongestOf(back, 200, weightAt));
  assert.deepEqual(looking, [100, 101, 102, 103, 104, 105]);
});

test("there are never more of them than there is room for, and the first choice of every token is among them", () => {
  const scattered = (row, col) => 1 / (1 + ((row * 37 + col * 101) % 997));
  const part = { lead: "query", from: 0, to: 24 };
  const strongest = strongestOf(part, 1000, scattered);
  const met = partnersOf(part, strongest);
  assert.equal(met.length, 32);
  for (const [{ col }] of strongest) assert.ok(met.includes(col));
});

test("lines are drawn from a weight on, and the strongest of each token however faint", () => {
  const sides = { query: [50, 51], key: [0, 10, 20, 49, 50, 51] };
  const drawn = linesBetween(sides, "query", 0.2, weightAt).map(({ row, col }) => `${row} ${col}`);
  assert.deepEqual(drawn.toSorted(), ["50 0", "50 49", "50 50", "51 0", "51 50", "51 51"]);
  assert.equal(linesBetween(sides, "query", 0.0001, weightAt).length, 11);
  const back = linesBetween(sides, "key", 0.4, weightAt).map(({ row, col }) => `${row} ${col}`);
  assert.ok(back.includes("50 49") && !back.includes("50 51"));
});

const SIZE = 200;

/** Every query attends to the first key, to itself, and a little to the others before it. */
function picture(size = SIZE, more = {}) {
  const values = Float32Array.from({ length: size * size }, (_, at) => {
    const [row, col] = [Math.floor(at / size), at % size];
    return col > row ? -Infinity : col === 0 ? 0.5 : col === row ? 0.3 : 0.001;
  });
  return { values, rows: size, cols: size, ...more };
}

function shown(view) {
  const store = storeOf("cat", view);
  return {
    store,
    tokens: new ShownTokens(store),
    look: (patch) => ({ ...store.get(), view: { ...store.get().view, ...patch } }),
  };
}

test("of a short text all tokens are shown, and of a longer one those at its beginning", () => {
  const { store, tokens } = shown();
  assert.equal(tokens.find(store.get(), picture(64)), true);
  assert.deepEqual([tokens.part, tokens.sides.query.length, tokens.sides.key.length], [null, 64, 64]);
  assert.equal(tokens.find(store.get(), picture()), true);
  assert.deepEqual(tokens.part, { lead: "query", from: 0, to: 24 });
  assert.deepEqual(tokens.sides.key, tokens.sides.query);
});

test("a token that is picked or pinned is gone to, and one that is in sight moves nothing", () => {
  const { tokens, look } = shown();
  const seen = picture();
  const at = (patch) => (tokens.find(look(patch), seen), [tokens.part.lead, tokens.part.from]);
  assert.deepEqual(at({ picked: { axis: "query", at: [3, 100] } }), ["query", 88]);
  assert.deepEqual(at({ picked: { axis: "key", at: [0] } }), ["query", 88]);
  assert.deepEqual(at({ picked: null }), ["query", 88]);
  assert.deepEqual(at({ picked: { axis: "key", at: [30] } }), ["key", 18]);
  assert.deepEqual(at({ picked: null, cell: { stage: "weights", row: 190, col: 2 } }), ["query", 176]);
  assert.deepEqual(at({ picked: null, cell: { stage: "w_q", row: 5, col: 2 } }), ["query", 176]);
});

test("the part before or behind is turned to, and not beyond the text", () => {
  const { store, tokens } = shown();
  const seen = picture(SIZE, { realRows: 50, realCols: 50 });
  tokens.find(store.get(), seen);
  const starts = [1, 1, 1, -1].map((by) => (tokens.page(seen, by), tokens.find(store.get(), seen), tokens.part.from));
  assert.deepEqual(starts, [24, 26, 26, 2]);
});

test("numbers that have not come are waited for, and asked for once where they cannot be had", () => {
  const { store, tokens } = shown();
  const plain = picture();
  const asked = [];
  const coarse = {
    mayRequest: true,
    request: (...wish) => (asked.push(wish), asked.length > 1),
    at: (row, col) => plain.values[row * SIZE + col],
  };
  const seen = { ...plain, coarse };
  assert.equal(tokens.find(store.get(), seen), false);
  assert.equal(tokens.waits, true);
  assert.equal(tokens.find(store.get(), seen), true);
  assert.deepEqual(asked[0], ["lines", [0, 24], [0, SIZE]]);
  assert.equal(shown().tokens.find(store.get(), { ...seen, coarse: { ...coarse, mayRequest: false } }), true);
  assert.equal(asked.length, 2);
});
