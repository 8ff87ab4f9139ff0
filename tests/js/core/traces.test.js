import assert from "node:assert/strict";
import test from "node:test";
import { Problem } from "../../../static/js/core/api.js";
import {
  requestCell,
  continuation,
  fetchLastWeights,
  fetchTrace,
  questionOf,
  fetchOfTrace,
  fetchPart,
  keyedRequest,
} from "../../../static/js/core/traces.js";
import { settle } from "../support/clock.js";
import { newDocument } from "../support/document.js";
import { refused, serve, later, offline } from "../support/server.js";
import { stateOf } from "../support/state.js";

const document = newDocument();
const page = { release: "0.2.0+abc" };
document.getElementById = () => ({ textContent: JSON.stringify(page) });
const TRACE = "/api/v1/traces/0123";
const signal = () => new AbortController().signal;
const json = (body) => new Response(JSON.stringify(body));

test("what a trace says is asked for under its release, so that a browser may keep it for ever", async () => {
  const asked = serve(() => json({}));
  await fetchOfTrace(`${TRACE}/spectrum?layer=0`, {}, signal());
  await questionOf("a/b");
  await fetchTrace({ text: "a" });
  assert.deepEqual(
    asked.map(({ method, path }) => `${method} ${path}`),
    [
      `GET ${TRACE}/spectrum?layer=0&release=0.2.0%2Babc`,
      "GET /api/v1/traces/a%2Fb/question?release=0.2.0%2Babc",
      "POST /api/v1/traces",
    ],
  );
});

test("a text goes on from its trace, which a server that forgot it gets again", async () => {
  const how = { tokens: 2, temperature: 0, seed: 0, top_k: null };
  const asked = serve(({ path }) => {
    if (path === "/api/v1/traces") return json({ trace: "0123" });
    return asked.length === 1 ? refused(404, "unknown_trace") : json({ pieces: [" a"] });
  });
  assert.deepEqual(await continuation("0123", how, { text: "a" }), { pieces: [" a"] });
  assert.deepEqual(
    asked.map(({ path, body }) => [path, body]),
    [
      [`${TRACE}/continuations`, how],
      ["/api/v1/traces", { text: "a" }],
      [`${TRACE}/continuations`, how],
    ],
  );
  serve(() => refused(413, "too_many_tokens"));
  await assert.rejects(continuation("0123", how, {}), { code: "too_many_tokens" });
});

test("a trace that the server forgot is named again by its question, once", async () => {
  const asked = serve(({ method }) => {
    if (method === "POST") return json({});
    return asked.length === 1 ? refused(404, "unknown_trace") : json({ heads: ["found"] });
  });
  const asking = () => fetchOfTrace(`${TRACE}/heads?batch=1`, { text: "a" }, signal());
  assert.deepEqual(await asking(), { heads: ["found"] });
  assert.deepEqual(
    asked.map(({ method, path }) => `${method} ${path.split("release")[0]}`),
    [`GET ${TRACE}/heads?batch=1&`, "POST /api/v1/traces", `GET ${TRACE}/heads?batch=1&`],
  );
  assert.deepEqual(asked[1].body, { text: "a" });
  const again = serve(({ method }) => (method === "POST" ? json({}) : refused(404, "unknown_trace")));
  await assert.rejects(asking(), { code: "unknown_trace" });
  assert.equal(again.length, 3);
});

test("any other refusal of a trace is shown at once", async () => {
  const asked = serve(() => refused(422, "out_of_range"));
  await assert.rejects(requestCell("0123", "q", { row: 9, col: 0 }, {}, signal()), { code: "out_of_range" });
  assert.equal(asked.length, 1);
  assert.match(asked[0].path, /\/cells\/q\?row=9&col=0&/);
});

test("the weights of the last layer are those of a question's own trace", async () => {
  const asked = serve(({ path }) =>
    json(path.endsWith("/traces") ? { trace: "abc", shape: { num_layers: 2 } } : { values: [[1], [0.5]] }),
  );
  assert.deepEqual(await fetchLastWeights({ text: "a b" }), [[1], [0.5]]);
  assert.match(asked[1].path, /traces\/abc\/stages\/weights\?layer=1&head=0&batch=0/);
});

const state = stateOf("cat");

test("a part of a trace is asked for once, by trace and what is chosen of it", async () => {
  const asked = serve(({ path }) => ({ path }));
  const both = await Promise.all([
    fetchPart(state, "spectrum", { layer: 0 }),
    fetchPart(state, "spectrum", { layer: 0 }),
  ]);
  assert.equal(both[0], both[1]);
  await fetchPart(state, "spectrum", { layer: 1 });
  const { trace } = state.answer.reply;
  assert.deepEqual(
    asked.map(({ path }) => path),
    [0, 1].map((layer) => `/api/v1/traces/${trace}/spectrum?layer=${layer}&release=0.2.0%2Babc`),
  );
});

test("after a failure the next one may have more luck", async () => {
  serve(offline);
  await assert.rejects(fetchPart(state, "decode", {}), Problem);
  serve(() => ({ steps: [] }));
  assert.deepEqual(await fetchPart(state, "decode", {}), { steps: [] });
});

test("sixteen replies are cached, and the least recently used is evicted first", async () => {
  const asked = serve(() => ({}));
  for (let layer = 0; layer < 16; layer++) await fetchPart(state, "many", { layer });
  await fetchPart(state, "many", { layer: 0 });
  await fetchPart(state, "many", { layer: 16 });
  await fetchPart(state, "many", { layer: 0 });
  assert.equal(asked.length, 17);
  await fetchPart(state, "many", { layer: 1 });
  assert.equal(asked.length, 18);
});

test("what came too late is not shown, neither found nor failed", async () => {
  const seen = [];
  const want = keyedRequest(
    (found) => seen.push(found),
    (problem) => seen.push(problem.code),
  );
  const [slow, failing] = [later(), later()];
  want("slow", () => slow.reply);
  want("failing", () => failing.reply.then(() => Promise.reject(new Problem({}))));
  want("wanted", async () => "wanted");
  want("wanted", async () => "asked twice");
  slow.give("slow");
  failing.give();
  await settle();
  assert.deepEqual(seen, ["wanted"]);
  want("gone", () => Promise.reject(new Problem({})));
  await settle();
  assert.deepEqual(seen, ["wanted", "offline"]);
});
