import assert from "node:assert/strict";
import test from "node:test";
import { startAllHeads } from "../../../static/js/core/all-heads.js";
import { setView } from "../../../static/js/core/actions.js";
import { startAsking } from "../../../static/js/core/asking.js";
import { combinedPicture, weightsOf } from "../../../static/js/core/combined-heads.js";
import { stageOf } from "../../../static/js/core/page.js";
import "../../../static/js/core/stage-images.js";
import { pictureOf } from "../../../static/js/core/picture.js";
import { asQuestion } from "../../../static/js/core/question.js";
import { selection, completeState } from "../../../static/js/core/state.js";
import { createStore } from "../../../static/js/lib/store.js";
import { isClosed } from "../../../static/js/lib/paint.js";
import { numberAt } from "../../../static/js/lib/number-at.js";
import { readCell } from "../../../static/js/matrix/read-cell.js";
import { currentWeights } from "../../../static/js/sentence/weight-row.js";
import { settle as turn } from "../support/clock.js";
import { reply as said } from "../support/made.js";
import { bits, block } from "../support/pictures.js";
import { offline, refused, serve } from "../support/server.js";
import { page } from "../support/sent.js";
import { stateOf } from "../support/state.js";

const N = 600; // tokens: a point of a picture is 2 × 2 of their maps
const POINTS = N / 2;
const shape = { batch: 1, num_layers: 2, num_heads: 2, num_kv_heads: 1, n: N, m: N, d_model: 8, d_k: 4, d_v: 4 };
const tokens = [Array.from({ length: N }, (_, at) => `w${at}`)];
let count = 0; // of traces: what is remembered of one is nothing to the next test
const named = () => ({ ...said({ shape, tokens, lengths: [N] }), trace: `trace${count}` });
const turns = async () => {
  for (let at = 0; at < 12; at++) await turn();
};

/** What the server says of a trace whose every weight below the diagonal is 0.5, but (599, 0), which is 1. */
function sent({ path }) {
  if (path === "/api/v1/traces") return named();
  if (path.includes("/heads?")) return { heads: [] };
  if (path.includes("/thumbnails/")) {
    const size = Number(/size=(\d+)/.exec(path)[1]);
    const side = 2 ** Math.ceil(Math.log2(N / size));
    const points = Math.ceil(N / side);
    return bits([2, 2, points, points], new Uint8Array(4 * points * points).fill(180), [0, 1]);
  }
  if (path.includes("/stages/")) {
    const [high, wide] = ["rows", "cols"].map((name) => {
      const [from, to] = new RegExp(`${name}=(\\d+):(\\d+)`).exec(path).slice(1).map(Number);
      return to - from;
    });
    return block(Array.from({ length: high }, () => new Array(wide).fill(path.includes("masked") ? 1 : 0.25)));
  }
  const [, name] = /pictures\/(\w+)/.exec(path);
  if (!/score|weights/.test(name)) {
    const wide = /^[qkvh]/.test(name) ? 4 : 8;
    return bits([POINTS, wide], new Uint8Array(wide * POINTS).fill(127), [-1, 1], [2, 1]);
  }
  const bytes = Uint8Array.from({ length: POINTS * POINTS }, (_, at) =>
    at % POINTS > Math.floor(at / POINTS) ? 255 : 180,
  );
  bytes[(POINTS - 1) * POINTS] = 254;
  return bits([POINTS, POINTS], bytes, [0, 1], [2, 2]);
}

/** A page with a long text. */
async function start(view = {}, reply = sent) {
  count += 1;
  const asked = serve(reply);
  const question = asQuestion(page, {
    text: tokens[0].join(" "),
    model: { source: "seeded", num_layers: 2, num_heads: 2 },
  });
  const state = { ...stateOf("cat", view), question, answer: null, status: "asking" };
  const store = createStore(page, state, completeState);
  const heard = [];
  store.subscribe((/** @type {any} */ { status, answer }) =>
    heard.push([status, answer && Object.keys(Object.fromEntries(answer.pictures)).length]),
  );
  startAsking(store, true);
  await turns();
  return {
    store,
    asked,
    heard,
    paths: (part) => asked.filter(({ path }) => path.includes(part)).map(({ path }) => path),
  };
}
const picture = (store, name) => pictureOf(page, store.get().answer, stageOf(page, name), selection(store.get()));

test("a large question is named, its weights come first, then every stage in sight", async () => {
  const { store, asked, heard, paths } = await start();
  assert.deepEqual([asked[0].method, asked[0].path], ["POST", "/api/v1/traces"]);
  const first = paths("/pictures/")[0];
  assert.match(first, /pictures\/weights\?layer=0&head=0&batch=0&size=512&encoding=u8&spacing=root/);
  assert.equal(paths("/attention").length, 0);
  const counts = heard.filter(([status]) => status === "ready").map(([, count]) => count);
  assert.deepEqual([counts[0], counts.at(-1) > 8, store.get().status], [1, true, "ready"]);
  for (const name of ["x", "q", "k", "scores", "masked_scores", "weights", "output"]) {
    const { rows, cols, coarse } = picture(store, name);
    assert.deepEqual([rows, cols], [N, coarse.points[1] * coarse.side[1]], name);
  }
});

test("weights are closed where their point is, and masked scores have the colours of the scaled ones", async () => {
  const { store } = await start();
  const weights = picture(store, "weights");
  assert.deepEqual([isClosed(weights, 0, 599), isClosed(weights, 599, 599)], [true, false]);
  assert.equal(numberAt(weights, 0, 599), -Infinity);
  assert.equal(picture(store, "masked_scores").size, picture(store, "scaled_scores").size);
});

test("another head asks for its own pictures, keys and values that it shares are here", async () => {
  const { store, paths } = await start();
  const before = paths("/pictures/").length;
  setView(store, { head: 1 });
  await turns();
  const later = paths("/pictures/").slice(before);
  assert.ok(later.every((path) => path.includes("head=1")));
  assert.ok(!later.some((path) => /pictures\/(k|v|x|output)\?/.test(path)), "they are of both heads");
  assert.notEqual(picture(store, "weights"), null);
  setView(store, { head: 0 });
  await turns();
  assert.equal(paths("/pictures/").length, before + later.length, "what was here is");
  assert.equal(paths("/traces").filter((path) => path === "/api/v1/traces").length, 1);
});

test("a stage that is seen large comes finer, one that is whole already does not come again", async () => {
  const { store, paths } = await start();
  setView(store, { stage: "scores" });
  await turns();
  assert.match(paths("/pictures/").at(-1), /pictures\/scores\?.*size=1024/);
});

test("the selector has small pictures of all heads, and none where the server has none", async () => {
  const { store, paths } = await start();
  await turns();
  assert.match(paths("/thumbnails/")[0], /thumbnails\/weights\?batch=0&size=128&encoding=u8/);
  const seen = store.get().overview.block({ name: "weights" }, { batch: 0, layer: 1, head: 1 });
  assert.deepEqual([seen.rows, seen.cols, seen.coarse.side], [N, N, [8, 8]]);
  assert.equal(store.get().overview.block({ name: "scores" }, { batch: 0, layer: 1, head: 1 }), null);
  const poor = await start({}, (request) =>
    request.path.includes("thumb") ? refused(413, "too_large") : sent(request),
  );
  assert.deepEqual([poor.store.get().overview, poor.store.get().status], [null, "ready"]);
});

test("the pointer reads the number of a point at once, and that of the cell when it comes", async () => {
  const { store } = await start();
  const stage = stageOf(page, "weights");
  const read = () => readCell(store, stage, picture(store, "weights"), { row: 598, col: 0 }, 3);
  assert.match(read(), /^≈ 1\.000, .*2 × 2/);
  const { exact } = store.get();
  while (store.get().exact === exact) await turn(); // it is asked for once the pointer rests
  assert.equal(read(), "0.250");
});

test("the sentence waits for the numbers of its row", async () => {
  const { store } = await start({ cell: { stage: "weights", row: 3, col: 0 } });
  serve(({ path }) =>
    block([Array.from({ length: N }, (_, at) => (path.includes("masked") ? (at > 3 ? -Infinity : 1) : 0.25))]),
  );
  const { axis, at, entries, waits } = currentWeights(page, store.get());
  assert.deepEqual([axis, at, entries, waits], ["query", 3, [], true]);
  await turns();
  const seen = currentWeights(page, store.get());
  assert.deepEqual([seen.waits, seen.entries.length, seen.best.weight], [undefined, 4, 0.25]);
});

test("Heads has small pictures of all, and finer ones of those that are seen together", async () => {
  const { store, paths } = await start({
    tab: "heads",
    heads: [
      [0, 0],
      [1, 1],
    ],
  });
  startAllHeads(store);
  await turns();
  assert.deepEqual(
    paths("/pictures/").map((path) => /layer=(\d)&head=(\d)/.exec(path).slice(1).join()),
    ["0,0", "1,1"],
  );
  assert.match(paths("/thumbnails/")[0], /size=256/);
  assert.equal(paths("/thumbnails/").length, 1, "asked for ahead, and used");
  assert.deepEqual(weightsOf(store.get(), { layer: 1, head: 0 }).coarse.side, [4, 4]);
  const both = combinedPicture(store.get());
  assert.deepEqual([both.coarse.side, both.coarse.places.length], [[2, 2], 2]);
  setView(store, { tab: "lines", heads: [] });
  await turns();
  assert.equal(combinedPicture(store.get()).coarse.isWhole, false);
});

test("what reckons with numbers asks for them, and pictures come back after it", async () => {
  const { store, paths } = await start({}, (request) =>
    request.path === "/api/v1/attention" ? refused(413, "too_large") : sent(request),
  );
  setView(store, { tab: "gradients" });
  await turns();
  assert.deepEqual([paths("/attention").length, store.get().status], [1, "failed"]);
  setView(store, { tab: "stages" });
  await turns();
  assert.deepEqual([store.get().status, store.get().problem], ["ready", null]);
});

test("without a server a long text fails as a short one does", async () => {
  const { store } = await start({}, offline);
  assert.deepEqual([store.get().status, store.get().problem.code], ["failed", "offline"]);
});
