import assert from "node:assert/strict";
import test from "node:test";
import {
  PreviousAnswer,
  Change,
  comparable,
  lastTrace,
  noiseOf,
  stepsSince,
} from "../../../static/js/change/previous-answer.js";
import { setField } from "../../../static/js/core/question-changes.js";
import { stageOf } from "../../../static/js/core/page.js";
import { AnswersByQuestion } from "../../../static/js/editing/answers-by-question.js";
import { startStepping } from "../../../static/js/editing/stepping.js";
import { settle } from "../support/clock.js";
import { answerOf } from "../support/made.js";
import { later, offline, refused, serve } from "../support/server.js";
import { answer, bytes, page } from "../support/sent.js";
import { storeOf } from "../support/state.js";

const HERE = { batch: 0, layer: 0, head: 0 };
const Q = stageOf(page, "q");
const trace = (letter) => letter.repeat(32);
const over = (rows) => answerOf({ q: [[rows]] });

/** What edits are made with, following its store. */
function benchOf(store) {
  const answered = new AnswersByQuestion(store);
  store.subscribe((state, previous) => answered.follow(state, previous));
  startStepping(store);
  return { store, answered };
}
const change = (a, b) => new Change(page, over(a), over(b), "position");

test("now − before: a change has the extent of its largest number", () => {
  const own = change(
    [
      [1, 2],
      [3, 4],
    ],
    [
      [1, 2.5],
      [3, 3],
    ],
  );
  assert.deepEqual([...own.block(Q, HERE).values], [0, 0.5, 0, -1]);
  assert.deepEqual(own.extent(Q, HERE), { size: 1, most: 0.5 });
  assert.equal(own.isSame(Q, HERE), false);
});

test("what is rounding alone has not changed, and no colour", () => {
  const own = change(
    [
      [1, 2],
      [3, 4],
    ],
    [
      [1, 2],
      [3, 4 + 4e-13],
    ],
  );
  assert.equal(own.isSame(Q, HERE), true);
  assert.deepEqual(own.extent(Q, HERE), { size: 4 + 4e-13, most: 4 + 4e-13 });
  assert.equal(noiseOf(over([[1, 1]]), 4), 4e-12);
});

test("a cell that was closed or opened is a change", () => {
  const masked = (value) =>
    answerOf({
      masked_scores: [
        [
          [
            [1, value],
            [1, 1],
          ],
        ],
      ],
    });
  const stage = stageOf(page, "masked_scores");
  assert.equal(new Change(page, masked(-Infinity), masked(2), "position").isSame(stage, HERE), false);
  assert.equal(new Change(page, masked(2), masked(2), "position").isSame(stage, HERE), true);
});

test("colours reach as far as what is open changed, whatever changed under the mask", () => {
  const over = (scaled, shut) => {
    const masked = scaled.map((row, i) => row.map((value, j) => (shut(i, j) ? -Infinity : value)));
    return answerOf({ scaled_scores: [[scaled]], masked_scores: [[masked]] });
  };
  const stage = stageOf(page, "masked_scores");
  const causal = (i, j) => j > i;
  const [before, now] = [
    [
      [1, 2],
      [3, 4],
    ],
    [
      [1, 90],
      [3.5, 4],
    ],
  ];
  const own = new Change(page, over(before, causal), over(now, causal), "position");
  assert.deepEqual(own.extent(stage, HERE), { size: 0.5, most: 0.5 });
  assert.equal(own.isStill(stage, HERE), false);
  const opened = new Change(
    page,
    over(before, causal),
    over(before, () => false),
    "position",
  );
  assert.deepEqual([opened.isStill(stage, HERE), opened.isSame(stage, HERE)], [true, false]);
});

test("answers are compared where every cell has its counterpart", () => {
  assert.equal(comparable(answer("cat"), answer("dog")), true);
  assert.equal(comparable(answer("cat"), answer("batch")), false);
  assert.equal(comparable(answer("cat"), answer("cross")), false);
});

/** A page that asked a, then b, with their answers. */
function walked() {
  const store = storeOf("cat", {}, { answer: answerOf({}, { trace: trace("a") }) });
  const own = benchOf(store);
  setField(store, "text", "b");
  store.set({ answer: answerOf({}, { trace: trace("b") }) });
  return own;
}

test("at first it is compared with what was before the last step, or with now where there was none", () => {
  const own = walked();
  assert.equal(lastTrace(own), trace("a"));
  setField(own.store, "text", "not answered yet");
  assert.equal(lastTrace(own), trace("b"));
  const store = storeOf("cat", {}, { answer: answerOf({}, { trace: trace("c") }) });
  const fresh = benchOf(store);
  assert.equal(lastTrace(fresh), trace("c"));
});

test("a trace was the answer so many steps ago, or never on the way here", () => {
  const own = walked();
  assert.deepEqual(
    ["a", "b", "c"].map((letter) => stepsSince(own, trace(letter))),
    [1, 0, null],
  );
});

function before(reply) {
  const own = walked();
  const asked = serve(reply);
  const calls = { times: 0 };
  const found = new PreviousAnswer(own, () => (calls.times += 1));
  const at = (name, more = {}) => ({ ...own.store.get(), ...more, view: { ...own.store.get().view, since: name } });
  return { own, asked, calls, found, at };
}

test("an answer that is here still is not asked for, and nothing is compared with nothing", () => {
  const { found, asked, at } = before(offline);
  assert.equal(found.of(at(trace("b"))).reply.trace, trace("b"));
  assert.equal(found.of(at(trace("a"))).reply.trace, trace("a"));
  assert.equal(found.of(at(null)), null);
  assert.equal(found.of(at(trace("a"), { answer: null })), null);
  assert.equal(asked.length, 0);
});

test("another is asked for by the question that the server keeps, and shown when it comes", async () => {
  const { found, asked, calls, at } = before(({ method }) => (method === "GET" ? { text: "kept" } : bytes("cat")));
  assert.equal(found.of(at(trace("c"))), null);
  await settle();
  await settle();
  assert.equal(calls.times, 1);
  assert.equal(found.of(at(trace("c"))).reply.tokens[0].length, 5);
  assert.deepEqual(
    asked.map(({ method, body }) => [method, body?.text]),
    [
      ["GET", undefined],
      ["POST", "kept"],
    ],
  );
});

test("a trace that nobody knows is a problem, and another try asks again", async () => {
  const { found, calls, at } = before(() => refused(404, "unknown_trace"));
  found.of(at(trace("d")));
  await settle();
  await settle();
  assert.deepEqual([found.problem.code, calls.times], ["unknown_trace", 1]);
  found.of(at(trace("d"), { attempt: 1 }));
  assert.equal(found.problem, null);
});

test("what comes for a trace that was left is dropped", async () => {
  const slow = later();
  const { found, calls, at } = before(({ method }) => (method === "GET" ? { text: "kept" } : slow.reply));
  found.of(at(trace("e")));
  await settle();
  assert.equal(found.of(at(trace("a"))).reply.trace, trace("a"));
  slow.give(bytes("cat"));
  await settle();
  assert.deepEqual([found.answer.reply.trace, calls.times], [trace("a"), 0]);
});
