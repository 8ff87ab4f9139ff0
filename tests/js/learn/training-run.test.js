import assert from "node:assert/strict";
import test from "node:test";
import { nearestTo, placesTo, train } from "../../../static/js/learn/training-run.js";
import { serve } from "../support/server.js";

const ASKED = { task: "copy", steps: 2, rate: 0.3, seed: 0 };
const stream = (text) => new Response(text, { headers: { "Content-Type": "text/event-stream" } });
const { signal } = new AbortController();

test("progress is shown, and the reply is what came of it", async () => {
  const sent = 'event: progress\ndata: {"step":1}\n\n: heartbeat\n\nevent: reply\ndata: {"losses":[2]}\n\n';
  const asked = serve(() => stream(sent));
  const calls = [];
  assert.deepEqual(await train(ASKED, (news) => calls.push(news), signal), { losses: [2] });
  assert.deepEqual(calls, [{ step: 1 }]);
  assert.equal(asked[0].headers.Accept, "text/event-stream");
  assert.deepEqual(asked[0].body, { ...ASKED, snapshots: 25 });
});

test("an axis of steps has few places, and the first is 0", () => {
  assert.deepEqual(placesTo(100), [0, 20, 40, 60, 80, 100]);
  assert.deepEqual(placesTo(2), [0, 1, 2]);
  assert.deepEqual(placesTo(0), [0]);
});

test("the nearest snapshot stands for a step", () => {
  const snapshots = [0, 10, 20].map((step) => ({ step }));
  assert.deepEqual([nearestTo(snapshots, 13), nearestTo(snapshots, 99)], [1, 2]);
});
