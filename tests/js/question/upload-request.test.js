import assert from "node:assert/strict";
import test from "node:test";
import { chooseSource } from "../../../static/js/core/choose-source.js";
import { asksHeadCount } from "../../../static/js/core/state.js";
import { send, sendDropped } from "../../../static/js/question/upload-request.js";
import { later, offline, refused, serve } from "../support/server.js";
import { storeOf } from "../support/state.js";

const files = (name = "weights.npz") => [new File(["bytes"], name)];
const found = (id) => ({ id, name: "weights", layout: "canonical", shape: { num_heads: 4 }, notes: [] });
const needed = () => refused(422, "invalid_request", { errors: [{ at: "num_heads", message: "how many?" }] });
const said = (request) => Object.fromEntries([...request.body].filter(([name]) => name !== "weights"));
const reading = (heads, mapping = "") => ({ reading: { heads, mapping } });

test("without a number of heads the file is asked for it, and what was typed is sent as it is", async () => {
  const asked = serve(() => found("a"));
  await send(storeOf("cat"), files());
  await send(storeOf("cat", {}, reading(" 4 ", '{"w_q": "q"}')), files());
  await send(storeOf("cat", {}, reading("0")), files());
  assert.deepEqual(asked.map(said), [
    { num_heads: "file", name: "weights.npz" },
    { num_heads: "4", name: "weights.npz", mapping: '{"w_q": "q"}' },
    { num_heads: "0", name: "weights.npz" },
  ]);
});

test("a dropped file that does not say its heads is kept, and its field comes in sight", async () => {
  serve(needed);
  const store = storeOf("cat");
  const { model } = store.get().question;
  const dropped = files();
  await sendDropped(store, dropped);
  const state = store.get();
  assert.equal(asksHeadCount(state), true);
  assert.equal(state.files, dropped);
  assert.deepEqual(state.question.model, { source: "uploaded", id: "" });
  assert.deepEqual(state.drafts.seeded, model);
});

test("a file dropped beside one that is used leaves it in use while its heads are asked for", async () => {
  serve(needed);
  const store = storeOf("cat");
  store.set({ question: { ...store.get().question, model: { source: "uploaded", id: "a" } } });
  await sendDropped(store, files());
  assert.equal(store.get().question.model.id, "a");
  assert.equal(asksHeadCount(store.get()), true);
});

test("of a file that is gone since it was chosen the page says so, and sends nothing", async () => {
  const asked = serve(() => found("a"));
  const store = storeOf("cat");
  const [gone] = files();
  gone.slice = () => ({ arrayBuffer: () => Promise.reject(new DOMException("gone", "NotFoundError")) });
  await send(store, [gone]);
  assert.equal(asked.length, 0);
  const { uploadProblem, uploading } = store.get();
  assert.deepEqual([uploadProblem.code, uploading], ["unreadable", false]);
  assert.match(uploadProblem.message, /sending\.unreadable|cannot be read/);
});

test("once read, the files are used, and their number of heads is said of no others", async () => {
  const asked = serve(() => found("b"));
  const store = storeOf("cat", {}, reading("4", "{}"));
  const first = files();
  await send(store, first);
  assert.equal(store.get().question.model.id, "b");
  await send(store, first);
  assert.equal(said(asked[1]).num_heads, "4", "the same files, with another mapping, have the same heads");
  await send(store, files("other.npz"));
  assert.equal(said(asked[2]).num_heads, "file");
  assert.deepEqual(store.get().reading, { heads: null, mapping: "{}" });
});

test("what was said out of sight is not said of a dropped file", async () => {
  const asked = serve(() => found("c"));
  await sendDropped(storeOf("cat", {}, reading("4", '{"w_q": "q"}')), files());
  assert.deepEqual(said(asked[0]), { num_heads: "file", name: "weights.npz" });
});

test("another refusal, or no server, leaves the model what it is", async () => {
  for (const reply of [() => refused(422, "bad_weights_file"), offline]) {
    serve(reply);
    const store = storeOf("cat");
    await sendDropped(store, files());
    assert.equal(store.get().question.model.source, "seeded");
    assert.equal(asksHeadCount(store.get()), false);
    assert.ok(store.get().uploadProblem);
  }
});

test("of files sent one after the other the last are used, whichever comes first", async () => {
  const first = later();
  serve((request) => (said(request).name === "slow.npz" ? first.reply : found("quick")));
  const store = storeOf("cat");
  const slow = send(store, files("slow.npz"));
  await send(store, files("quick.npz"));
  first.give(found("slow"));
  await slow;
  assert.equal(store.get().question.model.id, "quick");
  assert.equal(store.get().uploading, false);
});

test("a model chosen while files are on their way stays, and theirs is chosen by its source", async () => {
  const { reply, give } = later();
  serve(() => reply);
  const store = storeOf("cat");
  const sent = send(store, files());
  chooseSource(store, "crafted");
  give(found("late"));
  await sent;
  const { question, uploading } = store.get();
  assert.deepEqual([question.model.source, uploading], ["crafted", false]);
  chooseSource(store, "uploaded");
  assert.deepEqual(store.get().question.model, { source: "uploaded", id: "late" });
});

test("a model chosen while files are on their way stays, though they lack their number of heads", async () => {
  const { reply, give } = later();
  serve(() => reply);
  const store = storeOf("cat");
  const sent = sendDropped(store, files());
  chooseSource(store, "crafted");
  give(needed());
  await sent;
  assert.equal(store.get().question.model.source, "crafted");
  chooseSource(store, "uploaded");
  assert.equal(asksHeadCount(store.get()), true);
});

test("another question of the same model, or an equal one from the history, is no other choice", async () => {
  const { reply, give } = later();
  serve(() => reply);
  const store = storeOf("cat");
  const sent = send(store, files());
  const { question } = store.get();
  store.set({ question: { ...question, text: "a dog", model: { ...question.model } } });
  give(found("late"));
  await sent;
  const { text, model } = store.get().question;
  assert.deepEqual([text, model.id], ["a dog", "late"]);
});

test("no file is sent where there is none", async () => {
  const asked = serve(() => found("d"));
  await send(storeOf("cat"), []);
  assert.deepEqual(asked, []);
});
