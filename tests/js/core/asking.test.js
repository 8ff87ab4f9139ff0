import assert from "node:assert/strict";
import test from "node:test";
import { setView } from "../../../static/js/core/actions.js";
import { setField } from "../../../static/js/core/question-changes.js";
import { planOf, startAsking } from "../../../static/js/core/asking.js";
import { asQuestion } from "../../../static/js/core/question.js";
import { completeState } from "../../../static/js/core/state.js";
import { createStore } from "../../../static/js/lib/store.js";
import { stopClock } from "../support/clock.js";
import { later, offline, refused, serve } from "../support/server.js";
import { bytes, page, question } from "../support/sent.js";
import { stateOf } from "../support/state.js";

const clock = stopClock();
const BEFORE = { answer: null, status: "asking" };

/** A page that asks the cat's question, of a server that replies so. */
function start(reply, state = {}, about = page) {
  const asked = serve(reply);
  const store = createStore(about, { ...stateOf("cat"), ...BEFORE, ...state }, completeState);
  const statuses = [];
  startAsking(store);
  statuses.push(store.get().status);
  store.subscribe(({ status }) => status !== statuses.at(-1) && statuses.push(status));
  return { store, asked, statuses };
}
const large = (change = {}, view = { layer: 1, head: 3 }) => {
  const model = { source: "seeded", d_model: 512, num_heads: 16, ...change };
  return {
    ...stateOf("cat", view),
    ...BEFORE,
    question: asQuestion(page, { text: "a ".repeat(150), model }),
  };
};

test("a small trace is asked for whole, as numbers", () => {
  const { body, heads, pictures } = planOf(stateOf("cat"), page, true);
  assert.deepEqual([heads, pictures, body.layers, body.heads], [null, undefined, undefined, undefined]);
});

test("of a large one the selected layer and head are asked for", () => {
  const { body, heads } = planOf(large(), page);
  assert.deepEqual([heads, body.layers, body.heads], [[3], [1], [3]]);
});

test("a capture is asked for whole unless the page knows that it is large", () => {
  const question = asQuestion(page, { model: { source: "captured", id: "0a" } });
  const state = { ...stateOf("cat"), ...BEFORE, question };
  const pictures = (large_capture) => planOf(state, { ...page, large_capture }, true).pictures;
  assert.deepEqual([null, "0b", "0a"].map(pictures), [undefined, undefined, true]);
});

test("of a capture the part that the page names comes first, once, and then the whole", async () => {
  const ofCapture = { question: asQuestion(page, { model: { source: "captured", id: "0a" } }) };
  const replies = [later(), later()];
  let at = 0;
  const about = { ...page, first_part: { id: "0a", layers: [1] } };
  const { store, asked } = start(() => replies[at++].reply, ofCapture, about);
  await clock.pass(0);
  replies[0].give(bytes("cat"));
  await clock.pass(0);
  const { answer: first, status } = store.get();
  assert.ok(first && status === "ready");
  setView(store, { layer: 1 });
  replies[1].give(bytes("cat"));
  await clock.pass(0);
  assert.ok(store.get().answer !== first);
  assert.deepEqual(
    asked.map(({ body }) => body.layers),
    [[1], undefined],
  );
  const other = start(() => bytes("cat"), {}, about);
  await clock.pass(0);
  assert.deepEqual(
    other.asked.map(({ body }) => body.layers),
    [undefined],
  );
});

test("where pictures do it is named alone, and looked at otherwise it is another plan", () => {
  const view = { layer: 1, head: 3 };
  const { key, body, heads, pictures } = planOf(large(), page, true);
  assert.deepEqual([heads, pictures, body.layers, body.stages], [[3], true, undefined, undefined]);
  const keyOf = (more) => planOf(large({}, { ...view, ...more }), page, true).key;
  assert.equal(keyOf({ cell: { stage: "q", row: 1, col: 1 } }), key);
  for (const more of [{ head: 2 }, { layer: 0 }, { batch: 1 }, { tab: "heads" }, { stage: "scores" }])
    assert.notEqual(keyOf(more), key);
});

test("what reckons with every number of a head has them once it is known that they can be had", () => {
  for (const more of [{ tab: "gradients" }, { tab: "lab" }, { change: "mask" }, { since: "0a" }]) {
    const asked = large({}, { layer: 1, head: 3, ...more });
    const { answer } = stateOf("cat");
    const { body, pictures } = planOf({ ...asked, answer, status: "ready" }, page, true);
    assert.deepEqual([pictures, body.layers, body.heads], [undefined, [1], [3]], JSON.stringify(more));
    const long = { ...answer, reply: { ...answer.reply, whole_tokens: 0 } };
    for (const state of [asked, { ...asked, answer: long, status: "ready" }])
      assert.equal(planOf(state, page, true).pictures, true, JSON.stringify(more));
  }
});

test("of a text that is too large to be derived pictures stand under Gradients too", () => {
  const state = { ...large({}, { layer: 1, head: 3, tab: "gradients" }), status: "ready" };
  const { answer } = stateOf("cat");
  const most = { ...answer, reply: { ...answer.reply, gradient_tokens: 900 } };
  assert.equal(planOf({ ...state, answer: most }, page, true).pictures, true);
});

test("with a context its stage is named, for it comes where it is asked for", () => {
  const { stages } = /** @type {any} */ (planOf(stateOf("cross"), page).body);
  assert.ok(stages.includes("context"));
  assert.equal(planOf(stateOf("cat"), page).body.stages, undefined);
});

test("of an MLP the stages are asked for that the model has, and no gate where there is none", () => {
  const asked = (model, installed = []) => {
    const state = stateOf("cat");
    const { body } = planOf({ ...state, question: { ...state.question, model } }, { ...page, installed });
    const stages = /** @type {string[]} */ (body.stages ?? []);
    return ["middle", "gate", "mlp_output"].filter((name) => stages.includes(name));
  };
  const { model } = question("cat");
  assert.deepEqual(asked({ ...model, mlp: true }), ["middle", "mlp_output"]);
  const named = (mlp) => asked({ source: "installed", name: "own" }, [{ name: "own", mlp }]);
  assert.deepEqual(named([]), []);
  assert.deepEqual(named(["middle", "hidden", "activated", "mlp_output"]), ["middle", "mlp_output"]);
  assert.deepEqual(named(["middle", "hidden", "gate", "activated", "mlp_output"]), ["middle", "gate", "mlp_output"]);
});

test("the question of the page is asked at once, and its answer is shown", async () => {
  const { store, asked, statuses } = start(() => bytes("cat"));
  await clock.pass(0);
  assert.deepEqual(statuses, ["asking", "ready"]);
  assert.deepEqual(store.get().answer.reply.tokens, [["the", "cat", "saw", "the", "dog"]]);
  assert.equal(asked[0].body.text, "the cat saw the dog");
  assert.equal(clock.waiting, 0);
});

test("what is typed waits for stillness, and only the last of it is asked", async () => {
  const { store, asked } = start(() => bytes("dog"));
  await clock.pass(0);
  for (const text of ["t", "th", "the"]) {
    setField(store, "text", text, { typing: true });
    await clock.pass(100);
  }
  assert.equal(asked.length, 1);
  await clock.pass(150);
  assert.deepEqual(
    asked.map(({ body }) => body.text),
    ["the cat saw the dog", "the"],
  );
});

test("a question that changed is not answered from the moment it changes", async () => {
  const { store } = start(() => bytes("cat"));
  await clock.pass(0);
  const heard = [];
  store.subscribe(({ question, status }) => heard.push([question.model.source, status]));
  setField(store, "model", { source: "installed", name: "echo", revision: null });
  assert.deepEqual(heard[0], ["installed", "asking"]);
  await clock.pass(0);
  assert.deepEqual(heard.at(-1), ["installed", "ready"]);
});

test("what of the address is not in the first answer is shown, and later nothing", async () => {
  const { view } = stateOf("cat", { layer: 7, heads: [[9, 9]] });
  const { store } = start(() => bytes("cat"), { view, ignored: ["odd=1"] });
  await clock.pass(0);
  assert.deepEqual(store.get().ignored, ["odd=1", "layer=7", "heads=9.9"]);
  assert.deepEqual([store.get().view.layer, store.get().view.heads], [0, []]);
  setView(store, { head: 9 });
  setField(store, "text", "two cats");
  await clock.pass(0);
  assert.deepEqual([store.get().view.head, store.get().ignored], [1, ["odd=1", "layer=7", "heads=9.9"]]);
});

test("an equal question is answered already", async () => {
  const { store, asked } = start(() => bytes("cat"));
  await clock.pass(0);
  store.set({ question: { ...store.get().question } });
  assert.equal(store.get().status, "ready");
  store.set({ question: { ...store.get().question } }, { typing: true });
  assert.equal(store.get().status, "ready");
  assert.equal(asked.length, 1);
});

test("an answer that a newer question has overtaken is dropped", async () => {
  const first = later();
  const { store } = start(({ body }) => (body.text === "b" ? bytes("dog") : first.reply));
  setField(store, "text", "b");
  await clock.pass(0);
  first.give(bytes("cat"));
  await clock.pass(0);
  assert.equal(store.get().answer.reply.tokens[0][1], "dog");
});

test("a slow answer is said to be slow, and a refusal is shown with the last answer in place", async () => {
  const waiting = later();
  const { store, statuses } = start(() => waiting.reply);
  await clock.pass(200);
  waiting.give(bytes("cat"));
  await clock.pass(0);
  assert.deepEqual(statuses, ["asking", "slow", "ready"]);
  serve(() => refused(422, "invalid"));
  setField(store, "text", "b");
  await clock.pass(0);
  const { status, problem, answer } = store.get();
  assert.deepEqual([status, problem.code, answer !== null], ["failed", "invalid", true]);
});

test("another try asks again", async () => {
  const { store } = start(offline);
  await clock.pass(0);
  assert.equal(store.get().problem.code, "offline");
  serve(() => bytes("cat"));
  store.set({ attempt: 1 }, { silent: true });
  await clock.pass(0);
  assert.deepEqual([store.get().status, store.get().problem], ["ready", null]);
});

test("a question asked before has its answer at once, without the server", async () => {
  const { store, asked } = start(({ body }) => bytes(body.text === "b" ? "dog" : "cat"));
  await clock.pass(0);
  const first = store.get();
  setField(store, "text", "b");
  await clock.pass(0);
  setField(store, "text", "the cat saw the dog");
  await clock.pass(0);
  assert.equal(store.get().answer, first.answer);
  assert.equal(asked.length, 2);
});

test("without words nothing is asked", async () => {
  const { store, asked } = start(() => bytes("cat"), { question: { ...question("cat"), text: " " } });
  await clock.pass(500);
  assert.deepEqual([store.get().status, asked.length], ["empty", 0]);
  setField(store, "model", { source: "uploaded", id: "" });
  assert.equal(store.get().status, "no_upload");
});

test("another head of a small answer is no question; of a large one it is", async () => {
  const { store, asked } = start(() => bytes("cat"));
  await clock.pass(0);
  setView(store, { head: 1 });
  await clock.pass(0);
  assert.equal(asked.length, 1);
  const part = start(() => bytes("cat"), large({}, {}));
  await clock.pass(0);
  setView(part.store, { head: 1 });
  await clock.pass(0);
  const heads = part.asked.flatMap(({ body }) => body.heads ?? []);
  assert.deepEqual(heads, [0, 1]);
});

test("a selection beyond the answer is brought inside, as part of the same step", async () => {
  const { store } = start(() => bytes("cat"), { view: stateOf("cat", { head: 9 }).view });
  const steps = [];
  store.subscribe((state, before, how) => state.view !== before.view && steps.push(how));
  await clock.pass(0);
  assert.equal(store.get().view.head, 1);
  assert.deepEqual(steps, [{ replace: true }]);
});
