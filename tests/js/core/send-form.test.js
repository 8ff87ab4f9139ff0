import assert from "node:assert/strict";
import test from "node:test";
import { Problem } from "../../../static/js/core/api.js";
import { checkReadable, sendForm } from "../../../static/js/core/send-form.js";
import { newDocument } from "../support/document.js";

newDocument();
/** @type {any} */
let request;
class FakeRequest {
  // set by the script under test
  onload = () => undefined;
  onloadend = () => undefined;
  onabort = () => undefined;
  upload = {};
  headers = {};
  constructor() {
    request = this;
  }
  open(...way) {
    this.way = way;
  }
  setRequestHeader(name, value) {
    this.headers[name] = value;
  }
  send(form) {
    this.form = form;
  }
  abort() {
    this.onabort();
    this.onloadend();
  }
  reply(status, text) {
    Object.assign(this, { status, responseText: text, statusText: "Of a proxy" });
    this.onload();
    this.onloadend();
  }
}
Object.assign(globalThis, { XMLHttpRequest: FakeRequest });

const begin = (tell = () => {}, controller = new AbortController()) => {
  const form = new FormData();
  return { form, controller, reply: sendForm("/api/v1/models", form, tell, controller.signal) };
};

test("it reports how much is sent, and what came back", async () => {
  const calls = [];
  const { form, reply } = begin((share) => calls.push(share));
  assert.deepEqual([request.way, request.form], [["POST", "/api/v1/models"], form]);
  assert.equal(request.headers["Accept-Language"], "en");
  request.upload.onprogress({ loaded: 1, total: 4 });
  request.upload.onprogress({ loaded: 4, total: 4 });
  request.reply(201, '{"id": "a"}');
  assert.deepEqual(await reply, { id: "a" });
  assert.deepEqual(calls, [0.25, 1]);
});

test("a refusal is a problem, of a proxy too", async () => {
  const errors = [{ at: "mapping.w_q", message: "no" }];
  const ours = begin().reply;
  request.reply(422, JSON.stringify({ status: 422, code: "bad_mapping", detail: "no", errors }));
  await assert.rejects(ours, (problem) => problem instanceof Problem && problem.errors[0].at === "mapping.w_q");
  const foreign = begin().reply;
  request.reply(502, "<html>");
  await assert.rejects(foreign, { code: "offline", status: 502, message: "" });
});

test("where no answer comes it is offline", async () => {
  const { reply } = begin();
  request.onerror();
  await assert.rejects(reply, { code: "offline" });
});

test("it is called back", async () => {
  const { reply, controller } = begin();
  controller.abort();
  await assert.rejects(reply, { name: "AbortError" });
  await assert.rejects(begin(() => {}, controller).reply, { name: "AbortError" });
  assert.equal(request.form, undefined);
});

test("a file that is gone is a problem before anything is sent", async () => {
  const t = (/** @type {string} */ key) => key;
  await checkReadable([new File(["a"], "a.npz"), "4"], t);
  const gone = new File(["a"], "gone.npz");
  gone.slice = () => /** @type {any} */ ({ arrayBuffer: () => Promise.reject(new DOMException("", "NotFoundError")) });
  const ours = (/** @type {unknown} */ error) => error instanceof Problem && error.message === "sending.unreadable";
  await assert.rejects(checkReadable([gone], t), ours);
});
