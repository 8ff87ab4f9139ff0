import assert from "node:assert/strict";
import test from "node:test";
import { bindAddress } from "../../../../static/js/core/address/history.js";
import { keptName } from "../../../../static/js/core/address/long-questions.js";
import { setView } from "../../../../static/js/core/actions.js";
import { setField } from "../../../../static/js/core/question-changes.js";
import { initialState } from "../../../../static/js/core/state.js";
import { createStore } from "../../../../static/js/lib/store.js";
import { openAddress } from "../../support/address-bar.js";
import { settle } from "../../support/clock.js";
import { later, refused, serve } from "../../support/server.js";
import { page } from "../../support/sent.js";

const trace = (letter) => letter.repeat(32);
const LONG = Array.from({ length: 4000 }, (_, at) => [at + 0.123456]);

/** A page at an address, bound to it. */
function open(address) {
  const bar = openAddress(address);
  const store = createStore(page, initialState(page));
  bindAddress(store);
  return { bar, store };
}
/** The same with an address behind it in the history, which this page has not opened. */
function openBehind(address) {
  const opened = open("/?text=z");
  history.replaceState(null, "", address);
  history.pushState(null, "", "/?text=z");
  return opened;
}
const answered = (name) => ({ answer: { reply: { trace: name } }, status: "ready" });

test("what a hand changes is a step of the history, and what replaces a step is none", () => {
  const { bar, store } = open("/?text=a");
  setView(store, { head: 1 });
  setField(store, "text", "b");
  setField(store, "text", "bc", { replace: true });
  assert.deepEqual(bar.entries, ["/?text=a", "/?text=a&head=1", "/?text=bc&head=1"]);
});

test("what changes neither question nor view, or comes from the address, is not written", () => {
  const { bar, store } = open("/?text=a");
  store.set({ hover: { stage: "q", row: 0, col: 0 } });
  store.set({ question: { ...store.get().question, text: "z" } }, { silent: true });
  assert.deepEqual(bar.entries, ["/?text=a"]);
});

test("a change that the address says already is no step", () => {
  const { bar, store } = open("/?text=a");
  setView(store, { head: 0 });
  assert.deepEqual(bar.entries, ["/?text=a"]);
});

test("back and forward walk through the states", async () => {
  const { bar, store } = open("/?text=a");
  setView(store, { head: 1 });
  setView(store, { head: 2 });
  store.set({ trail: [{ stage: "q", row: 0, col: 0 }] });
  await bar.walk(-1);
  assert.deepEqual([store.get().view.head, store.get().trail], [1, []]);
  await bar.walk(-1);
  assert.equal(store.get().view.head, 0);
  await bar.walk(2);
  assert.equal(store.get().view.head, 2);
  assert.equal(bar.entries.length, 3);
});

test("what means nothing leaves the address at once, and is shown until the question changes", () => {
  const { bar, store } = open("/?text=a&colour=red");
  assert.deepEqual([bar.href, store.get().ignored], ["/?text=a", ["colour=red"]]);
  setView(store, { head: 1 });
  assert.deepEqual(store.get().ignored, ["colour=red"]);
  setField(store, "text", "b");
  assert.deepEqual(store.get().ignored, []);
});

test("of files that were refused the next question says nothing more, unless they wait for their number of heads", () => {
  const { store } = open("/?text=a");
  const missing = { errors: [{ at: "num_heads" }] };
  store.set({ uploadProblem: missing, ignored: ["colour=red"] });
  setField(store, "text", "b");
  assert.deepEqual([store.get().uploadProblem, store.get().ignored], [missing, []]);
  store.set({ uploadProblem: { errors: [] } });
  setField(store, "text", "c");
  assert.equal(store.get().uploadProblem, null);
});

test("a question too long for the address is named by the tab, and by its trace once that is known", () => {
  const { bar, store } = open("/?text=a");
  setField(store, "x", LONG);
  assert.match(bar.href, /^\/\?t=new-\d+$/);
  store.set(answered(trace("a")));
  assert.equal(bar.href, `/?t=${trace("a")}`);
  assert.equal(bar.entries.length, 2);
});

test("a long question that asks the same keeps its name", () => {
  const { bar, store } = open("/?text=a");
  setField(store, "x", LONG);
  store.set(answered(trace("b")));
  setField(store, "context_length", null);
  assert.equal(bar.href, `/?t=${trace("b")}`);
  assert.equal(keptName(store.get().question), trace("b"));
});

test("what is typed into a text of many pages is one step with one name, until its trace is known", () => {
  const { bar, store } = open("/?text=a");
  const typed = (/** @type {string} */ more) => "a ".repeat(20_000) + more;
  setField(store, "text", typed("b"));
  const { href } = bar;
  setField(store, "text", typed("bc"), { replace: true });
  setField(store, "text", typed("bcd"), { replace: true });
  assert.deepEqual([bar.href, bar.entries.length], [href, 2]);
  store.set(answered(trace("7")));
  assert.equal(bar.href, `/?t=${trace("7")}`);
  setField(store, "text", typed("e"), { replace: true });
  assert.match(bar.href, /^\/\?t=new-\d+$/);
});

test("whether line breaks belong to the text goes into the address, and nothing where they do not", async () => {
  const { bar, store } = open("/?text=a%0Ab");
  assert.equal(store.get().question.breaks, false);
  setField(store, "breaks", true);
  assert.equal(bar.href, "/?text=a%0Ab&breaks=true");
  await bar.walk(-1);
  assert.equal(store.get().question.breaks, false);
  await bar.walk(1);
  assert.equal(store.get().question.breaks, true);
});

test("walked to a question that this page does not know, it is fetched, and its view is shown", async () => {
  const { bar, store } = openBehind(`/?t=${trace("c")}&head=1`);
  serve(() => ({ text: "a cat" }));
  await bar.walk(-1);
  assert.deepEqual([store.get().question.text, store.get().view.head, store.get().lost], ["a cat", 1, null]);
  assert.equal(bar.href, "/?text=a%20cat&head=1");
});

test("a question that is lost is shown as such", async () => {
  const { bar, store } = openBehind(`/?t=${trace("d")}`);
  serve(() => refused(404, "unknown_trace"));
  await bar.walk(-1);
  assert.equal(store.get().lost.code, "unknown_trace");
});

test("while the question of an address is on its way, an answer to the one left does not write over it", async () => {
  const { bar, store } = openBehind(`/?t=${trace("e")}`);
  const { reply, give } = later();
  serve(() => reply);
  const walked = bar.walk(-1);
  await settle();
  store.set({ ...answered(trace("0")), view: { ...store.get().view, head: 1 } }, { replace: true });
  assert.equal(bar.href, `/?t=${trace("e")}`);
  give({ text: "a cat" });
  await walked;
  assert.equal(store.get().question.text, "a cat");
});

test("what a person does meanwhile counts: the walk is over", async () => {
  const { bar, store } = openBehind(`/?t=${trace("f")}`);
  const { reply, give } = later();
  serve(() => reply);
  const walked = bar.walk(-1);
  await settle();
  setField(store, "text", "mine");
  const trail = [{ stage: "q", row: 0, col: 0, layer: 0, head: 0 }];
  store.set({ trail });
  give({ text: "theirs" });
  await walked;
  assert.deepEqual([store.get().question.text, store.get().trail], ["mine", trail]);
  assert.equal(bar.href, "/?text=mine");
});
