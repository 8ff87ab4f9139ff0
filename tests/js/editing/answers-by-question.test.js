import assert from "node:assert/strict";
import test from "node:test";
import { AnswersByQuestion } from "../../../static/js/editing/answers-by-question.js";
import { createStore } from "../../../static/js/lib/store.js";
import { settle } from "../support/clock.js";
import { page, question } from "../support/sent.js";

const asked = (text) => ({ ...question("cat"), text });
const answer = (trace) => ({ reply: { trace } });
const open = (state) => createStore(page, { question: asked("a"), answer: null, status: "asking", ...state });

/** The answers of a store, which follow it. */
function answersOf(store) {
  const answered = new AnswersByQuestion(store);
  store.subscribe((state, previous) => answered.follow(state, previous));
  return answered;
}

test("an answer belongs to the question it came for, also when another is asked", () => {
  const store = open({});
  const answered = answersOf(store);
  const first = store.get().question;
  assert.equal(answered.of(first), undefined);
  const one = answer("1");
  store.set({ answer: one, status: "ready" });
  store.set({ question: asked("b"), status: "asking" });
  assert.equal(answered.of(first), one);
  assert.equal(answered.of(store.get().question), undefined);
  assert.equal(answered.traces.get(first), "1");
});

test("what is there already is noted, but not the answer of an earlier question", () => {
  const one = answer("1");
  const ready = open({ answer: one, status: "ready" });
  assert.equal(new AnswersByQuestion(ready).of(ready.get().question), one);
  const asking = open({ answer: one, status: "asking" });
  assert.equal(new AnswersByQuestion(asking).of(asking.get().question), undefined);
});

test("the address gives back an equal question: it has the same answer", () => {
  const one = answer("1");
  const store = open({ answer: one, status: "ready" });
  const answered = new AnswersByQuestion(store);
  assert.equal(answered.of(asked("a")), one);
  assert.equal(answered.of(asked("a b")), undefined);
});

test("twelve answers are kept, the oldest goes first, and its trace is still known", () => {
  const store = open({});
  const answered = answersOf(store);
  const questions = Array.from({ length: 13 }, (_, at) => asked(`q${at}`));
  questions.forEach((each, at) => store.set({ question: each, answer: answer(String(at)), status: "ready" }));
  assert.equal(answered.of(questions[0]), undefined);
  assert.equal(answered.traces.get(questions[0]), "0");
  assert.equal(answered.of(questions[1]).reply.trace, "1");
});

test("the answer to what is asked now is waited for", async () => {
  const store = open({});
  const answered = new AnswersByQuestion(store);
  let found;
  answered.waitForAnswer().then((value) => (found = value));
  store.set({ question: asked("b"), status: "slow" });
  await settle();
  assert.equal(found, undefined);
  const one = answer("1");
  store.set({ answer: one, status: "ready" });
  await settle();
  assert.equal(found, one);
  assert.equal(await answered.waitForAnswer(), one);
});

test("where the question is refused there is none", async () => {
  const store = open({});
  const answered = new AnswersByQuestion(store);
  const found = answered.waitForAnswer();
  store.set({ status: "failed" });
  assert.equal(await found, null);
});
