import assert from "node:assert/strict";
import test from "node:test";
import { Problem } from "../../../static/js/core/api.js";
import { blockOf, extentOf, pictureOf, tokensIn } from "../../../static/js/map/map-replies.js";
import { offline, refused, serve } from "../support/server.js";

const NAMED = { trace: "abc", question: { text: "a b" } };
const WEIGHTS = { stage: "weights", layer: 1, head: 2, batch: 0 };
const EXTENT = { n: 3, m: 2, tile_size: 256, levels: 1, min: 0, max: 1 };
const TILE = { z: 3, row: 4, col: 5 };
const alive = () => new AbortController().signal;
const codes = (rows, cols, ...bytes) =>
  new Response(Uint8Array.from(bytes), { headers: { "X-Shape": `${rows},${cols}`, "X-Range": "0,1" } });
const events = (...lines) =>
  new Response(lines.join("\n\n") + "\n\n", { headers: { "Content-Type": "text/event-stream; charset=utf-8" } });

test("a map is asked for by stage, layer, head and batch", async () => {
  const asked = serve(() => EXTENT);
  assert.deepEqual(await extentOf(NAMED, WEIGHTS, null, alive()), EXTENT);
  assert.equal(asked[0].path, "/api/v1/traces/abc/map/weights?layer=1&head=2&batch=0");
});

test("of a long text progress is reported", async () => {
  const asked = serve(() =>
    events(
      'event: progress\ndata: {"done": 1, "of": 4}',
      ": still here",
      `event: reply\ndata: ${JSON.stringify(EXTENT)}`,
    ),
  );
  const calls = [];
  assert.deepEqual(await extentOf(NAMED, WEIGHTS, (each) => calls.push(each), alive()), EXTENT);
  assert.deepEqual(calls, [{ done: 1, of: 4 }]);
  assert.equal(asked[0].headers.Accept, "text/event-stream");
});

test("what goes wrong in the middle is shown as what it is", async () => {
  serve(() => events('event: problem\ndata: {"status": 413, "code": "too_large", "detail": "no room"}'));
  await assert.rejects(
    extentOf(NAMED, WEIGHTS, () => {}, alive()),
    (problem) => problem instanceof Problem && problem.code === "too_large",
  );
  serve(() => events('event: progress\ndata: {"done": 1, "of": 4}'));
  await assert.rejects(
    extentOf(NAMED, WEIGHTS, () => {}, alive()),
    ({ code }) => code === "offline",
  );
  serve(offline);
  await assert.rejects(
    extentOf(NAMED, WEIGHTS, () => {}, alive()),
    ({ code }) => code === "offline",
  );
});

test("a trace that the server has forgotten is named again by its question, of long and of short texts", async () => {
  for (const [onProgress, reply] of [
    [null, EXTENT],
    [() => {}, events(`event: reply\ndata: ${JSON.stringify(EXTENT)}`)],
  ]) {
    const asked = serve(({ method }) =>
      method === "POST" ? {} : asked.length < 2 ? refused(404, "unknown_trace") : reply,
    );
    assert.deepEqual(await extentOf(NAMED, WEIGHTS, onProgress, alive()), EXTENT);
    assert.deepEqual(asked[1].body, { text: "a b" });
  }
});

test("a tile is bytes with their shape", async () => {
  const asked = serve(() => codes(1, 2, 7, 255));
  assert.deepEqual(await pictureOf(NAMED, WEIGHTS, TILE, { reduce: "max", spacing: "root" }, alive()), {
    rows: 1,
    cols: 2,
    codes: Uint8Array.of(7, 255),
  });
  assert.equal(asked[0].path, "/api/v1/traces/abc/tiles/weights/1/2/3/4/5?reduce=max&spacing=root&encoding=u8&batch=0");
});

test("a block has −∞ where a cell is closed", async () => {
  const asked = serve(() => ({ values: [[0.5, null]] }));
  const found = await blockOf(NAMED, WEIGHTS, { rows: [3, 4], cols: [0, 2] }, alive());
  assert.deepEqual(found, { rows: 1, cols: 2, values: [0.5, -Infinity] });
  assert.match(asked[0].path, /stages\/weights\?layer=1&head=2&batch=0&rows=3%3A4&cols=0%3A2$/);
});

test("tokens come a part at a time", async () => {
  let tokens = ["a", null];
  const asked = serve(() => ({ tokens }));
  assert.deepEqual(await tokensIn(NAMED, { batch: 1, context: true }, [1000, 1002], alive()), ["a", null]);
  tokens = null; // numbers without words
  assert.deepEqual(await tokensIn(NAMED, { batch: 0, context: false }, [0, 2], alive()), [null, null]);
  assert.deepEqual(
    asked.map(({ path }) => path),
    ["rows=1000%3A1002&batch=1&context=true", "rows=0%3A2&batch=0"].map(
      (words) => `/api/v1/traces/abc/tokens?${words}`,
    ),
  );
});
