import assert from "node:assert/strict";
import test from "node:test";
import { ShownTokens } from "../../../static/js/lines/shown-tokens.js";
import { storeOf } from "../support/state.js";

const SIZE = 200;

/** Every query looks at the first key, at itself, and a little at the others before it. */
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
    isRead: true,
    read: (...wish) => (asked.push(wish), asked.length > 1),
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
