import assert from "node:assert/strict";
import test from "node:test";
import { readPasted } from "../../../static/js/question/paste-box.js";
import { asQuestion } from "../../../static/js/core/question.js";
import { page, question } from "../support/sent.js";

const now = () => asQuestion(page, { text: "the cat", causal: true, temperature: 2 });
/** @returns {any} */
const read = (given, asked = now()) =>
  readPasted(page, asked, typeof given === "string" ? given : JSON.stringify(given));

test("what is no JSON, no object or has no object as model is said to be so", () => {
  assert.deepEqual(read("{text:"), { wrong: "paste.not_json", field: "" });
  for (const given of ["3", "null", "[1]", '{"model": "seeded"}', '{"question": [1]}'])
    assert.deepEqual(read(given), { wrong: "paste.not_an_object", field: "" });
});

test("which part of its trace a request wants is no question, and left out", () => {
  const { question } = read({ text: "a", stages: ["weights"], parameters: true });
  assert.deepEqual([question.text, "stages" in question, "parameters" in question], ["a", false, false]);
});

test("an unknown field is named", () => {
  assert.deepEqual(read({ text: "a", temprature: 1 }), { wrong: "paste.unknown", field: "temprature" });
});

test("a matrix that is no list of lists, or a mask that is no list of cells, is named", () => {
  assert.deepEqual(read({ w_q: 3 }), { wrong: "paste.not_a_list", field: "w_q" });
  assert.deepEqual(read({ model: { source: "explicit", w_k: [{}] } }), { wrong: "paste.not_a_list", field: "w_k" });
  assert.deepEqual(read({ blocked: [1, 2] }), { wrong: "paste.not_a_list", field: "blocked" });
  assert.deepEqual(read({ tokens: "a" }), { wrong: "paste.not_a_list", field: "tokens" });
});

test("a whole request is that question, and what it leaves out is the default", () => {
  const { question: found } = read({ text: "a b", model: { source: "seeded", seed: 3 }, window: 2 });
  assert.deepEqual([found.text, found.window, found.model.seed, found.temperature], ["a b", 2, 3, 1]);
  assert.equal(found.causal, page.defaults.causal);
});

test("an example's question lies under its name", () => {
  assert.equal(read({ question: { text: "z", model: { source: "seeded" } } }).question.text, "z");
});

test("without a model the present question keeps what is not given", () => {
  const { question: found } = read({ text: ["a", "b"] });
  assert.deepEqual([found.text, found.causal, found.temperature], ["a\nb", true, 2]);
});

test("matrices by their names are an explicit model over the present words", () => {
  const w = [
    [1, 0],
    [0, 1],
  ];
  const { question: found } = read({ w_q: w, w_k: w, w_v: w, num_heads: 2 });
  assert.equal(found.text, "the cat");
  assert.deepEqual([found.model.source, found.model.num_heads, found.model.w_q], ["explicit", 2, w]);
});

test("numbers take the place of words", () => {
  const { question: found } = read({
    x: [
      [1, 2],
      [3, 4],
    ],
    w_q: [[1], [2]],
  });
  assert.deepEqual(
    [found.text, found.x, found.tokens],
    [
      "",
      [
        [1, 2],
        [3, 4],
      ],
      null,
    ],
  );
});

test("a matrix more joins those of a present explicit model", () => {
  const explicit = asQuestion(page, { text: "a", model: { source: "explicit", w_q: [[9]], w_k: [[8]], w_v: [[7]] } });
  const { model } = read({ w_k: [[1]] }, explicit).question;
  assert.deepEqual([model.w_q, model.w_k, model.w_v], [[[9]], [[1]], [[7]]]);
});

test("what was asked of the server can be pasted again", () => {
  const asked = question("grouped");
  const { question: found } = read({ text: asked.text, model: asked.model });
  assert.deepEqual(found, asked);
});
