import assert from "node:assert/strict";
import test from "node:test";
import * as api from "../../../static/js/core/api.js";
import { newDocument } from "../support/document.js";
import { later, offline, refused, serve } from "../support/server.js";

const document = newDocument();
document.getElementById = () => ({ textContent: '{"lang": "zh"}' });
document.querySelector = () => ({ src: "http://attnscope.test/static/js/pages/explore.js" });
const { Problem } = api;
const signal = () => new AbortController().signal;
const examples = async () => (await (await api.call("/api/v1/examples")).json()).examples;
const json = (body, headers) => new Response(JSON.stringify(body), { headers });

test("a request is made in the language of the page, whatever a translator makes of the document", async () => {
  const asked = serve(() => json({ examples: [1] }));
  document.documentElement.lang = "de";
  assert.deepEqual(await examples(), [1]);
  assert.equal(asked[0].headers["Accept-Language"], "zh");
  assert.equal(asked[0].path, "/api/v1/examples");
});

test("a refusal is a problem with the server's words", async () => {
  serve(() => refused(422, "invalid", { detail: "too wide", errors: [{ at: "window", message: "too wide" }] }));
  await assert.rejects(examples(), (problem) => {
    assert.ok(problem instanceof Problem);
    assert.deepEqual([problem.status, problem.code, problem.message], [422, "invalid", "too wide"]);
    assert.deepEqual(problem.errors, [{ at: "window", message: "too wide" }]);
    return true;
  });
});

test("a refusal without a body of ours, as of a proxy, is a problem all the same", async () => {
  serve(() => new Response("<html>", { status: 418, statusText: "I'm a teapot" }));
  await assert.rejects(examples(), { code: "unknown", status: 418, message: "I'm a teapot" });
});

test("where a proxy has no answer, or too many, the server has not answered", async () => {
  for (const status of [429, 502, 503, 504])
    for (const body of ["<html>", "", "{}", '{"message": "no"}']) {
      const asked = serve(() => new Response(body, { status, headers: { "Retry-After": "7" } }));
      await assert.rejects(examples(), { code: "offline", status, message: "", after: "7", passing: true });
      assert.equal(asked.length, 1);
    }
});

test("what may pass is kept by path until it is answered", async () => {
  let heard = 0;
  api.failing.changed = () => void (heard += 1);
  api.failing.clear();
  serve(offline);
  await examples().catch(() => null);
  assert.deepEqual([...api.failing.keys()], ["/api/v1/examples"]);
  serve(() => refused(422, "invalid"));
  await examples().catch(() => null);
  await api.isReplaced();
  assert.deepEqual([heard, api.failing.size], [1, 1]);
  serve(() => json({ examples: [] }));
  await examples();
  assert.deepEqual([heard, api.failing.size], [2, 0]);
});

test("without a server the problem is that", async () => {
  serve(offline);
  await assert.rejects(examples(), { code: "offline", status: 0 });
});

test("a server that goes away in the middle has not answered", async () => {
  const broken = () => Object.assign(json({}), { arrayBuffer: () => Promise.reject(new TypeError("terminated")) });
  serve(broken);
  await assert.rejects(api.attention({}, signal()), { code: "offline" });
});

test("what is left is no problem", async () => {
  const { reply } = later();
  serve(() => reply);
  const controller = new AbortController();
  const asked = api.attention({}, controller.signal);
  controller.abort();
  await assert.rejects(asked, { name: "AbortError" });
});

test("attention is asked for as raw arrays", async () => {
  const asked = serve(() => Uint8Array.of(1, 2).buffer);
  const bytes = await api.attention({ text: "a" }, signal());
  assert.deepEqual([...new Uint8Array(bytes)], [1, 2]);
  const [{ method, path, body, headers }] = asked;
  assert.deepEqual([method, path, body], ["POST", "/api/v1/attention", { text: "a" }]);
  assert.equal(headers.Accept, "application/x-safetensors");
});

test("an event is sent when the server no longer knows the reader, and when it does again", async () => {
  const calls = [];
  document.addEventListener(api.SESSION, ({ detail }) => calls.push(detail));
  for (const status of [200, 401, 401, 200]) {
    serve(() => (status === 200 ? json({}) : refused(status, "sign_in")));
    await examples().catch(() => null);
  }
  serve(offline);
  await examples().catch(() => null); // no server is no answer
  assert.deepEqual(calls, [false, true]);
});

test("a page is replaced where the server answers and knows its script no more", async () => {
  const replaced = (reply) => {
    serve(reply);
    return api.isReplaced();
  };
  assert.equal(await replaced(() => json({})), false);
  assert.equal(await replaced(() => refused(404, "not_found")), true);
  assert.equal(await replaced(() => refused(503, "busy")), false);
  assert.equal(await replaced(offline), false);
});

test("a busy server is asked again when it says so, until it answers", async () => {
  const pauses = [];
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (run, pause) => (pauses.push(pause / 1000), setTimeout(run));
  const busy = (headers) => new Response('{"code":"busy"}', { status: 503, headers });
  const replies = [busy({ "Retry-After": "2" }), busy({}), json({ examples: [1] })];
  const asked = serve(() => replies.shift());
  assert.deepEqual(await examples(), [1]);
  assert.deepEqual(pauses, [2, 2]); // without a word of the server: a second more with each try

  serve(() => busy({ "Retry-After": "1" }));
  await assert.rejects(examples(), { status: 503 });
  assert.deepEqual(pauses.splice(0), [2, 2, 1, 1, 1]);
  serve(() => busy({ "Retry-After": "3600" }));
  await assert.rejects(examples(), { status: 503 }); // longer than it waits
  serve(() => new Response('{"code":"rate_limited"}', { status: 429, headers: { "Retry-After": "2" } }));
  await assert.rejects(examples(), { status: 429 });
  assert.deepEqual(pauses, [2, 2, 2]);

  const controller = new AbortController();
  const left = serve(() => (controller.abort(), busy({})));
  await assert.rejects(api.call("/api/v1/examples", { signal: controller.signal }), { name: "AbortError" });
  globalThis.setTimeout = setTimeout;
  assert.deepEqual([asked.length, left.length], [3, 1]);
});
