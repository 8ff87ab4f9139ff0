import assert from "node:assert/strict";
import test from "node:test";
import { nextToken, likeliest } from "../../../static/js/predictions/likely-list.js";

const said = (shares, more = {}) => ({
  position: 0,
  token: "a",
  surprises: [null],
  top: Object.entries(shares).map(([piece, probability]) => ({ piece, probability })),
  ...more,
});
const MANY = { a: 0.3, b: 0.2, c: 0.1, d: 0.09, e: 0.08, f: 0.07, g: 0.06 };

test("the likeliest pieces are shown, and the one that came wherever it stands", () => {
  const rows = likeliest(said(MANY), null, { piece: "z", probability: 0.001 });
  assert.deepEqual(
    rows.map(({ piece, came }) => (came ? `${piece}!` : piece)),
    ["a", "b", "c", "d", "e", "f", "z!"],
  );
  assert.equal(rows.at(-1).now, 0.001);
  assert.deepEqual(likeliest(said({ a: 0.5 }), null, { piece: "a", probability: 0.5 }), [
    { piece: "a", now: 0.5, before: null, came: true },
  ]);
});

test("with a head dropped each piece has what it was, and what was the likeliest is not lost", () => {
  const rows = likeliest(said(MANY), said({ h: 0.9, a: 0.05 }), null);
  assert.deepEqual(rows[0], { piece: "a", now: 0.3, before: 0.05, came: false });
  assert.deepEqual(rows.at(-1), { piece: "h", now: null, before: 0.9, came: false });
});

test("where numbers overflowed nothing is shown", () => {
  assert.deepEqual(likeliest(said({}), null, null), []);
  assert.deepEqual(likeliest(said({}), said({}), null), []);
});

test("the piece that came has the probability of its surprise; after the last token none came", () => {
  const reply = said({}, { surprises: [null, Math.log(4)] });
  const { piece, probability } = nextToken(reply, ["a", "b"]);
  assert.deepEqual([piece, probability.toFixed(12)], ["b", "0.250000000000"]);
  assert.equal(nextToken({ ...reply, position: 1 }, ["a", "b"]), null);
  assert.equal(nextToken(said({}, { surprises: [null, null] }), ["a", null]), null);
});
