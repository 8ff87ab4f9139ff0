import assert from "node:assert/strict";
import test from "node:test";
import { labelsOf } from "../../../static/js/core/answer.js";
import { inParts, nextToken, startTokenWindows, tokensIn, windowsOf } from "../../../static/js/core/token-windows.js";
import { createStore } from "../../../static/js/lib/store.js";
import { settle } from "../support/clock.js";
import { page } from "../support/sent.js";
import { later, offline, serve } from "../support/server.js";
import { stateOf } from "../support/state.js";

const { signal } = new AbortController();
const SPAN = /rows=(\d+):(\d+)&batch=(\d+)&context=(\w+)/;

/** The answer to a text of so many tokens, whose reply tells none of them. */
function long(n, more = {}) {
  const state = stateOf("cat");
  const { reply } = state.answer;
  const apart = { tokens: null, context_tokens: null, offsets: null, lengths: [n], shape: { ...reply.shape, n, m: n } };
  return createStore(page, { ...state, answer: { reply: { ...reply, ...apart, ...more }, tensors: new Map() } });
}

/** The server tells "w0", "w1" … as it is asked. */
const telling = (word = (at) => `w${at}`) =>
  serve(({ path }) => {
    const [start, end] = path.match(SPAN).slice(1, 3).map(Number);
    const tokens = Array.from({ length: Math.min(end - start, 10_000) }, (_, at) => word(start + at));
    return { rows: [start, end], total: 131_072, tokens, offsets: tokens.map(() => [0, 1]) };
  });
const spans = (asked) => asked.map(({ path }) => path.match(SPAN).slice(1, 3).join(":"));
const named = (store, ...places) => {
  const labels = labelsOf(store.get().answer.reply, 0, "query");
  return places.map((at) => labels[at].text);
};

test("a reply with its tokens needs no window", async () => {
  const store = createStore(page, stateOf("cat"));
  const asked = telling();
  assert.equal(inParts(store.get().answer.reply), false);
  windowsOf(store).want("chips", "query", [0, 5]);
  await settle();
  assert.deepEqual([asked.length, store.get().named], [0, 0]);
});

test("tokens far apart come by the thousands that they stand in, each once", async () => {
  const store = long(131_072);
  const asked = telling();
  windowsOf(store).wantEach("bars", "query", [7, 90_500, 12, 90_001]);
  await settle();
  assert.deepEqual(spans(asked).sort(), ["0:1000", "90000:91000"]);
  assert.deepEqual(named(store, 12, 90_500, 5000), ["w12", "w90500", "5000"]);
});

test("tokens come a thousand together, once, and are the names of all who ask for them", async () => {
  const store = long(131_072);
  const asked = telling();
  const windows = windowsOf(store);
  assert.equal(windowsOf(store), windows);
  assert.deepEqual(named(store, 0, 1500), ["0", "1500"]);
  windows.want("chips", "query", [950, 1150]);
  await settle();
  assert.deepEqual(spans(asked), ["0:2000"]);
  assert.deepEqual(named(store, 0, 1999, 2000), ["w0", "w1999", "2000"]);
  assert.deepEqual(labelsOf(store.get().answer.reply, 0, "key")[7], { text: "w7", index: 7 });
  assert.equal(store.get().named, 1);
  windows.want("chips", "query", [100, 300]);
  windows.want("hover query", "key", [1999, 2000]);
  await settle();
  assert.equal(asked.length, 1);
});

test("the last part ends with the text, and one reply has at most ten thousand", async () => {
  const store = long(20_500);
  const asked = telling();
  windowsOf(store).want("end", "query", [20_400, 20_600]);
  windowsOf(store).want("all", "query", [0, 20_500]);
  windowsOf(store).want("none", "query", [30_000, 30_001]);
  await settle();
  assert.deepEqual(spans(asked), ["20000:20500", "0:10000"]);
});

test("of one reader the newest wish counts, and another's goes on", async () => {
  const store = long(50_000);
  const slow = later();
  const asked = serve(({ path }) => {
    const [start, end] = path.match(SPAN).slice(1, 3).map(Number);
    const tokens = Array.from({ length: end - start }, () => `from ${start}`);
    return start === 0 ? slow.reply.then(() => ({ tokens })) : { tokens };
  });
  windowsOf(store).want("chips", "query", [0, 10]);
  windowsOf(store).want("chips", "query", [5000, 5010]);
  windowsOf(store).want("other", "query", [9000, 9010]);
  await settle();
  slow.give();
  await settle();
  assert.equal(asked.length, 3);
  assert.deepEqual(named(store, 0, 5000, 9000), ["0", "from 5000", "from 9000"]);
});

test("what does not come is a number still, and asked for with the next look", async () => {
  const store = long(50_000);
  serve(offline);
  windowsOf(store).want("chips", "query", [0, 10]);
  await settle();
  assert.deepEqual([named(store, 0), store.get().named], [["0"], 0]);
  telling();
  windowsOf(store).want("chips", "query", [0, 10]);
  await settle();
  assert.deepEqual(named(store, 0), ["w0"]);
});

test("tokens without names, as of given numbers, are asked for once and stay numbers", async () => {
  const store = long(50_000);
  const asked = serve(() => ({ tokens: null }));
  for (const end of [10, 20]) {
    windowsOf(store).want("chips", "query", [0, end]);
    await settle();
  }
  assert.deepEqual([asked.length, named(store, 3)], [1, ["3"]]);
});

test("sixty-four parts are kept; those looked at longest ago are numbers again", async () => {
  const store = long(131_072);
  telling();
  for (let part = 0; part < 65; part += 1) {
    windowsOf(store).want("chips", "query", [part * 1000, part * 1000 + 1]);
    await settle();
  }
  assert.deepEqual(named(store, 0, 999, 1000, 64_000), ["0", "999", "w1000", "w64000"]);
  assert.equal(labelsOf(store.get().answer.reply, 0, "query")[5].index, null);
});

test("the context's tokens are asked for by name", async () => {
  const store = long(5000, { context_lengths: [5000] });
  const asked = telling();
  await tokensIn(store.get(), "key", [0, 1], signal);
  await tokensIn(store.get(), "query", [0, 1], signal);
  assert.deepEqual(
    asked.map(({ path }) => path.match(SPAN)[4]),
    ["true", "false"],
  );
  windowsOf(store).want("chips", "key", [0, 1]);
  await settle();
  const { reply } = store.get().answer;
  assert.deepEqual([labelsOf(reply, 0, "key")[0].text, labelsOf(reply, 0, "query")[0].text], ["w0", "0"]);
});

test("the tokens of what is pointed at, pinned and picked get their names", async () => {
  const store = long(50_000);
  const asked = telling();
  startTokenWindows(store);
  const { view } = store.get();
  store.set({ hover: { stage: "weights", row: 30_000, col: 2 } });
  store.set({ view: { ...view, cell: { stage: "q", row: 40_000, col: 3 } } });
  store.set({ pointed: { axis: "key", at: 12_000 } });
  store.set({ view: { ...view, picked: { axis: "query", at: [1, 22_000] } } });
  store.set({ hover: { stage: "q", row: 49_999, col: 60_000 } }); // no token's column
  await settle();
  assert.deepEqual(named(store, 40_000, 12_000, 22_000, 49_999), ["w40000", "w12000", "w22000", "w49999"]);
  assert.ok(spans(asked).includes("49000:50000"));
});

test("a token is looked for from a place on, round the text, in either direction", async () => {
  const store = long(25_000);
  const at = [3, 12_345, 24_999];
  const asked = telling((place) => (at.includes(place) ? "found" : "other"));
  const fits = (token) => token === "found";
  const find = (from, back = false) => nextToken(store.get(), "query", fits, { from, back }, signal);
  assert.deepEqual([await find(3), await find(12_345), await find(24_999)], [12_345, 24_999, 3]);
  assert.deepEqual([await find(3, true), await find(12_345, true), await find(24_999, true)], [24_999, 3, 12_345]);
  asked.length = 0;
  assert.equal(await find(4), 12_345);
  assert.deepEqual(spans(asked), ["5:10005", "10005:20005"]);
  assert.equal(await nextToken(store.get(), "query", () => false, { from: 7, back: false }, signal), null);
});

test("in a short text it is looked for without the server, and the place itself comes last", async () => {
  const state = stateOf("cat"); // the cat saw the dog
  const asked = telling();
  const find = (text, from, back = false) =>
    nextToken(state, "query", (token) => token === text, { from, back }, signal);
  assert.deepEqual([await find("the", 0), await find("the", 3), await find("the", 3, true)], [3, 0, 0]);
  assert.deepEqual([await find("cat", 1), await find("bird", 1)], [1, null]);
  assert.equal(asked.length, 0);
});
