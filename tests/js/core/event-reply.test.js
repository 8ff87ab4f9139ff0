import assert from "node:assert/strict";
import test from "node:test";
import { eventReply } from "../../../static/js/core/event-reply.js";
import { offline, refused, serve } from "../support/server.js";

const PATH = "/api/v1/catalogue/minilm/install";
const stream = (text) => new Response(text, { headers: { "Content-Type": "text/event-stream" } });
const { signal } = new AbortController();
const init = { method: "POST", signal };

test("progress is shown, and the reply is the last event", async () => {
  const sent = 'event: progress\ndata: {"bytes":1}\n\n: heartbeat\n\nevent: reply\ndata: {"name":"minilm"}\n\n';
  const asked = serve(() => stream(sent));
  const calls = [];
  assert.deepEqual(await eventReply(PATH, init, (news) => calls.push(news)), { name: "minilm" });
  assert.deepEqual(calls, [{ bytes: 1 }]);
  assert.equal(asked[0].headers.Accept, "text/event-stream");
});

test("what is refused, fails on the way, or is cut off is a problem", async () => {
  const cases = [
    [() => refused(409, "already_there"), { code: "already_there" }],
    [() => stream('event: problem\ndata: {"code":"busy","detail":"later"}\n\n'), { code: "busy", message: "later" }],
    [() => stream('event: progress\ndata: {"bytes":1}\n\n'), { code: "offline" }],
    [offline, { code: "offline" }],
  ];
  for (const [answer, problem] of cases) {
    serve(answer);
    await assert.rejects(
      eventReply(PATH, init, () => {}),
      problem,
    );
  }
});

test("what was called off is no problem", async () => {
  const controller = new AbortController();
  const body = new ReadableStream({
    start: (sent) => controller.signal.addEventListener("abort", () => sent.error(controller.signal.reason)),
  });
  serve(() => new Response(body));
  const asked = eventReply(PATH, { method: "POST", signal: controller.signal }, () => {});
  controller.abort();
  await assert.rejects(asked, { name: "AbortError" });
});
