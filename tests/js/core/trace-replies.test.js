import assert from "node:assert/strict";
import test from "node:test";
import { Problem } from "../../../static/js/core/api.js";
import { fetchPart, keyedRequest } from "../../../static/js/core/trace-replies.js";
import { settle } from "../support/clock.js";
import { later, offline, serve } from "../support/server.js";
import { stateOf } from "../support/state.js";

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
    [0, 1].map((layer) => `/api/v1/traces/${trace}/spectrum?layer=${layer}`),
  );
});

test("after a failure the next one may have more luck", async () => {
  serve(offline);
  await assert.rejects(fetchPart(state, "decode", {}), Problem);
  serve(() => ({ steps: [] }));
  assert.deepEqual(await fetchPart(state, "decode", {}), { steps: [] });
});

test("sixteen are kept, the one that nobody asked for longest goes first", async () => {
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
