import assert from "node:assert/strict";
import test from "node:test";
import { hashOf, isLongText, readHash } from "../../../../static/js/core/address/hash.js";
import { defaultModel, asQuestion } from "../../../../static/js/core/question.js";
import { page } from "../../support/sent.js";

const hash = (body) => {
  const question = asQuestion(page, body);
  return hashOf(question, defaultModel(page, question.model.source));
};
const written = (large) => `#${encodeURIComponent(JSON.stringify(large))}`;

test("a question of a short text has no hash", () => {
  assert.equal(hash({ text: "a cat" }), "");
  assert.equal(hash({ model: { source: "explicit" } }), "");
});

test("numbers, tokens and changed matrices come back as they went", () => {
  const body = { x: [[1, -2.5]], tokens: ["猫"], model: { source: "explicit", w_q: [[1e-9], [2]], b_q: [3] } };
  const { large, ignored } = readHash(hash(body));
  assert.deepEqual(large, { x: body.x, tokens: body.tokens, w_q: body.model.w_q, b_q: body.model.b_q });
  assert.deepEqual(ignored, []);
});

test("a mask of any shape comes back as it went, one of other numbers is meaningless", () => {
  for (const mask of [[[0, 1]], [[[1, 0]]], [[[[0]], [[1]]]]])
    assert.deepEqual(readHash(hash({ mask })).large, { mask });
  assert.deepEqual(readHash(written({ mask: [[0, 2]] })), { large: {}, ignored: ["mask=[[0,2]]"] });
});

test("a matrix that was taken away is written as nothing, and read as meaningless", () => {
  const { ignored } = readHash(hash({ model: { source: "explicit", w_q: null } }));
  assert.deepEqual(ignored, ["w_q=null"]);
});

test("a long sentence goes into the hash, counted as the address writes it", () => {
  assert.equal(isLongText("a".repeat(5000)), false);
  assert.equal(isLongText("a".repeat(6000)), true);
  assert.equal(isLongText("猫".repeat(600)), false); // nine characters each
  assert.equal(isLongText("猫".repeat(700)), true);
  const text = "a ".repeat(4000);
  assert.deepEqual(readHash(hash({ text })).large, { text });
  assert.deepEqual(readHash(hash({ context: text })).large, { context: text });
});

test("what is of no known name or the wrong kind is named, and the rest is read", () => {
  const { large, ignored } = readHash(
    written({ x: [[1]], tokens: [1], w_q: "many", context_x: [[[[1]]]], b_q: [], hacked: 1, constructor: [[1]] }),
  );
  assert.deepEqual(large, { x: [[1]] });
  assert.deepEqual(ignored, [
    "tokens=[1]",
    'w_q="many"',
    "context_x=[[[[1]]]]",
    "b_q=[]",
    "hacked=1",
    "constructor=[[1]]",
  ]);
});

test("a hash that is no JSON means nothing, and no hash is no fault", () => {
  assert.deepEqual(readHash("#{broken"), { large: {}, ignored: ["#{broken"] });
  assert.deepEqual(readHash("#%"), { large: {}, ignored: ["#%"] });
  assert.deepEqual(readHash(written([1])), { large: {}, ignored: [written([1])] });
  for (const none of ["", "#"]) assert.deepEqual(readHash(none), { large: {}, ignored: [] });
});

test("a place in the page, such as the skip link leads to, is no state and no fault", () => {
  for (const place of ["#main", "#problem-busy"]) assert.deepEqual(readHash(place), { large: {}, ignored: [] });
});
