import assert from "node:assert/strict";
import test from "node:test";
import { AblationRun } from "../../../static/js/worth/ablation-run.js";
import { offline, refused, serve } from "../support/server.js";

const HEAD = { log_probability: -2, change: -1 };
const NOTHING = { log_probability: null, change: null };
const ABOUT = { position: 3, token: " to", log_probability: -1 };
const STATE = {
  answer: { reply: { trace: "abc", shape: { num_layers: 2, num_heads: 1 } } },
  question: { model: { source: "installed", name: "echo" }, text: "a b", drop: [] },
};
const event = (name, data) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const streamed = (...events) =>
  new Response(events.join(""), { headers: { "Content-Type": "text/event-stream; charset=utf-8" } });
const first = event("progress", { done: 1, of: 2, ...ABOUT, heads: [{ layer: 1, head: 0, ...HEAD }] });
const reply = (...heads) => event("reply", { ...ABOUT, heads });

/** A run, and how it stood at each change, up to the one that ends it. */
function begin() {
  const seen = [];
  let end;
  const ended = new Promise((resolve) => (end = resolve));
  const run = new AblationRun((found) => {
    seen.push(`${found.status} ${found.heads.length}`);
    if (found.status !== "runs") end(found);
  });
  return { run, seen, ended };
}

test("heads are shown as they come, and those of no event with the reply", async () => {
  const asked = serve(() => streamed(first, reply([HEAD], [HEAD])));
  const { run, seen, ended } = begin();
  run.start(STATE, { position: 3, batch: 0 });
  const found = await ended;
  assert.equal(asked[0].path, "/api/v1/traces/abc/ablations?position=3&batch=0");
  assert.deepEqual(seen, ["runs 1", "done 2"]);
  assert.deepEqual(
    found.heads.map(({ layer }) => layer),
    [1, 0],
  );
  assert.deepEqual([found.all, found.about.of, found.about.token], [2, 2, " to"]);
  run.start(STATE, { position: 3, batch: 0 });
  run.reset();
  run.start(STATE, { position: 3, batch: 0 });
  assert.equal(run.found, found);
  assert.equal(asked.length, 1);
});

test("where all heads are too many, the strongest are dropped", async () => {
  const asked = serve(({ path }) =>
    path.includes("strongest") ? streamed(reply([NOTHING], [HEAD])) : refused(413, "too_large"),
  );
  const { run, ended } = begin();
  run.start(STATE, { position: 3 });
  const { heads, about, all } = await ended;
  assert.deepEqual(
    asked.map(({ path }) => path.split("?")[1]),
    ["position=3", "position=3&strongest=10"],
  );
  assert.deepEqual([heads.length, about.of, all], [1, 1, 2]);
});

test("what is refused is shown, and what was forgotten is named again", async () => {
  for (const [answer, code] of [
    [() => refused(413, "too_large"), "too_large"],
    [offline, "offline"],
  ]) {
    serve(answer);
    const { run, ended } = begin();
    run.start(STATE, { position: 3 });
    assert.equal((await ended).problem.code, code);
  }
  let known = false;
  serve(({ method }) => {
    if (method === "POST") return ((known = true), { trace: "abc" });
    return known ? streamed(reply([HEAD], [HEAD])) : refused(404, "unknown_trace");
  });
  const { run, ended } = begin();
  run.start(STATE, { position: 4 });
  assert.equal((await ended).status, "done");
});

test("a run that is stopped keeps what it has, and one that is left says nothing more", async () => {
  const bodies = [];
  serve(() => {
    const encoder = new TextEncoder();
    return new Response(
      new ReadableStream({
        start: (body) => {
          bodies.push(body);
          body.enqueue(encoder.encode(first));
        },
      }),
    );
  });
  const { run, seen, ended } = begin();
  run.start(STATE, { position: 3 });
  while (!seen.length) await new Promise(setImmediate);
  run.stop();
  const found = await ended;
  assert.deepEqual([found.status, found.heads.length], ["stopped", 1]);
  run.reset();
  run.start(STATE, { position: 3 });
  run.reset();
  for (const body of bodies) body.error(new Error("gone"));
  await new Promise(setImmediate);
  assert.equal(run.found, null);
  assert.deepEqual(seen, ["runs 1", "stopped 1"]);
});
