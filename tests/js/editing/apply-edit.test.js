import assert from "node:assert/strict";
import test from "node:test";
import { AnswersByQuestion } from "../../../static/js/editing/answers-by-question.js";
import { edit, setNumber } from "../../../static/js/editing/apply-edit.js";
import { startStepping } from "../../../static/js/editing/stepping.js";
import { undo } from "../../../static/js/editing/undo.js";
import { Problem } from "../../../static/js/core/api.js";
import { setField } from "../../../static/js/core/question-changes.js";
import { asQuestion } from "../../../static/js/core/question.js";
import { settle } from "../support/clock.js";
import { file, reply, tensor } from "../support/made.js";
import { later, offline, serve } from "../support/server.js";
import { answer, page } from "../support/sent.js";
import { storeOf } from "../support/state.js";

const place = (tensor, row = 0, col = 0) => ({ tensor, batch: 0, row, col });
const square = (value) => Array.from({ length: 8 }, () => Array(8).fill(value));

function bench(name = "cat", more = {}) {
  const store = storeOf(name, {}, more);
  const answered = new AnswersByQuestion(store);
  store.subscribe((state, previous) => answered.follow(state, previous));
  startStepping(store);
  return { store, answered };
}
/** The parameters of a layer, as a server sends them: every number of w_q is 1, of w_k 2, of w_v 3. */
const parameters = () =>
  file(
    { attnscope: JSON.stringify(reply()) },
    Object.fromEntries(["w_q", "w_k", "w_v"].map((name, at) => [`layers.0.${name}`, tensor(square(at + 1))])),
  );

test("a number of x changes in x, which the answer has", async () => {
  const own = bench();
  const asked = serve(offline);
  assert.equal(await setNumber(own, place("x", 1, 2), 7), true);
  const { x, text, tokens } = own.store.get().question;
  assert.deepEqual([x[1][2], text, tokens[1], asked.length], [7, "", "cat", 0]);
  const values = answer("cat").tensors.get("layers.0.x").values;
  assert.deepEqual(
    x.flat().filter((value, at) => value !== values[at]),
    [7],
  );
});

test("a number of a parameter changes in an explicit model, whose others are asked for", async () => {
  serve(parameters);
  const own = bench();
  assert.equal(await setNumber(own, place("w_k", 3, 4), 9), true);
  const { text, model } = own.store.get().question;
  assert.deepEqual([text, model.source, model.w_k[3][4], model.w_k[0][0]], ["the cat saw the dog", "explicit", 9, 2]);
  undo(own.store);
  assert.equal(own.store.get().question.model.source, "seeded");
});

test("what cannot be written out is not changed", async () => {
  serve(parameters);
  const own = bench("layers");
  const { question } = own.store.get();
  assert.equal(await setNumber(own, place("w_q"), 1), false);
  assert.equal(own.store.get().question, question);
});

test("a number that is not there is not made", async () => {
  const model = { source: "explicit", w_q: [[1]], w_k: [[1]], w_v: [[1]] };
  const own = bench("cat", { question: asQuestion(page, { x: [[1]], model }) });
  assert.equal(await setNumber(own, place("w_o"), 1), false);
  assert.equal(await setNumber(own, place("x", 5, 0), 1), false);
});

test("an edit that was undone while its numbers were on their way is not made", async () => {
  const { reply: waiting, give } = later();
  serve(() => waiting);
  const own = bench("dog");
  const made = setNumber(own, place("w_q"), 5);
  await settle();
  undo(own.store);
  give(parameters());
  assert.equal(await made, false);
  assert.equal(own.store.get().question.model.source, "seeded");
});

test("an edit waits for the answer to what is asked now", async () => {
  const own = bench("cat");
  setField(own.store, "text", "the dog saw a cat");
  own.store.set({ status: "asking" });
  const made = setNumber(own, place("x"), 5);
  await settle();
  own.store.set({ answer: answer("dog"), status: "ready" });
  assert.equal(await made, true);
  const { x, tokens } = own.store.get().question;
  assert.deepEqual([x[0][0], tokens[1]], [5, "dog"]);
});

test("where the question is refused there is nothing to change", async () => {
  const own = bench("cat");
  setField(own.store, "text", "another");
  own.store.set({ status: "asking" });
  const made = setNumber(own, place("x"), 5);
  own.store.set({ status: "failed" });
  assert.equal(await made, false);
});

test("why an edit was not made is shown; what is no problem of the server is an error", async () => {
  const own = bench();
  assert.equal(await edit(own, () => Promise.reject(new Problem({}))), false);
  assert.equal(own.store.get().unchanged.code, "offline");
  await assert.rejects(
    edit(own, () => Promise.reject(new RangeError("ours"))),
    RangeError,
  );
});
