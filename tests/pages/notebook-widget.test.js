/** The widget of notebooks: what it says to Python, and what it makes of the replies. */

import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { after, beforeEach, describe, mock, test } from "node:test";
import { JSDOM } from "jsdom";

const { window } = new JSDOM("<!doctype html><body></body>", { url: "http://127.0.0.1/", pretendToBeVisual: true });
for (const name of [
  "document",
  "MutationObserver",
  "ShadowRoot",
  "getComputedStyle",
  "requestAnimationFrame",
  "navigator",
])
  Object.defineProperty(globalThis, name, { value: window[name], configurable: true });
globalThis.crypto ??= webcrypto; // node 18 has no global of this name
globalThis.matchMedia = () => /** @type {any} */ ({ matches: false });
window.HTMLCanvasElement.prototype.getContext = /** @type {any} */ (
  () => ({ fillRect() {}, getImageData: () => ({ data: [0, 0, 0, 0] }) })
);
const { default: widget } = await import("../../static/notebook/widget.js");

const NONE = { layer: 0, head: 0, stage: null, row: null, col: null, tab: "stages" };
/** @type {ReturnType<typeof modelOf>} */
let model;

/** A model as anywidget gives it; `sent` is what Python heard. */
function modelOf(values = {}) {
  const listeners = new Map();
  const all = { address: "/?t=1", height: 500, version: "1.0", ...NONE, ...values };
  return {
    /** @type {[any, ArrayBuffer[] | undefined][]} */
    sent: [],
    all,
    get: (/** @type {string} */ name) => all[name],
    set: (/** @type {string} */ name, /** @type {any} */ value) => void (all[name] = value),
    save_changes() {},
    on: (/** @type {string} */ event, /** @type {any} */ listener) =>
      listeners.set(event, [...(listeners.get(event) ?? []), listener]),
    off: (/** @type {string} */ event, /** @type {any} */ listener) =>
      listeners.set(
        event,
        listeners.get(event).filter((/** @type {any} */ each) => each !== listener),
      ),
    send(/** @type {any} */ content, /** @type {any} */ _, /** @type {ArrayBuffer[]} */ buffers) {
      this.sent.push([content, buffers]);
    },
    emit: (/** @type {string} */ event, /** @type {any[]} */ ...given) =>
      (listeners.get(event) ?? []).forEach((/** @type {any} */ each) => each(...given)),
    listeners,
  };
}

/** Python's reply to a message. @param {any} content @param {string} [text] */
const reply = (content, text) =>
  model.emit(
    "msg:custom",
    { kind: "reply", ...content },
    text ? [new DataView(new TextEncoder().encode(text).buffer)] : [],
  );

function rendered() {
  const el = document.body.appendChild(document.createElement("div"));
  const end = widget.render({ model: /** @type {any} */ (model), el });
  return { el, end, said: () => el.querySelector("[role=status]")?.textContent, frame: el.querySelector("iframe") };
}

describe("the widget of a notebook", () => {
  /** Timers that run when a test says so: `enable` of node's own takes other arguments in each version. */
  let due = [];
  const tick = (passed) => {
    for (const each of due) each.left -= passed;
    for (const { act } of due.filter(({ left }) => left <= 0)) act();
    due = due.filter(({ left }) => left > 0);
  };

  beforeEach(() => {
    due = [];
    mock.restoreAll();
    mock.method(globalThis, "setTimeout", (act, left) => due.push({ act, left }));
    mock.method(globalThis, "clearTimeout", () => undefined);
    document.body.replaceChildren();
    model = modelOf();
  });
  after(() => mock.restoreAll());

  test("it asks for its page, and a sandboxed frame shows it", async () => {
    model = modelOf({ still: "<svg/>" });
    const { el, end, frame } = rendered();
    const still = el.querySelector("img");
    assert.ok(
      frame?.hidden && !still?.hidden && still?.src.startsWith("data:image/svg+xml,%3Csvg"),
      "a picture meanwhile",
    );
    const [[page]] = model.sent;
    assert.deepEqual([page.kind, page.target, page.dark, page.version], ["page", "/?t=1", false, "1.0"]);
    assert.equal(frame?.getAttribute("sandbox")?.includes("allow-same-origin"), false);
    assert.equal(frame?.style.height, "500px");
    reply({ id: page.id, status: 200, more: true }, "<p>one");
    reply({ id: page.id, more: false }, " two");
    await new Promise((drawn) => setImmediate(() => setImmediate(drawn)));
    assert.equal(frame?.srcdoc, "<p>one two");
    assert.ok(!frame?.hidden && still?.hidden);
    model.all.height = 300;
    model.emit("change:height");
    assert.equal(frame?.style.height, "300px");
    end();
    assert.ok(
      [...model.listeners.values()].every((each) => each.length === 0),
      "nothing listens any more",
    );
    assert.ok(el.isConnected);
  });

  test("a kernel that says nothing is called silent, until it speaks", () => {
    const { said } = rendered();
    const { id } = model.sent[0][0];
    tick(9_999);
    assert.equal(said(), "");
    tick(1);
    assert.match(said() ?? "", /does not answer: it is busy, or it was restarted.*run this cell again/);
    model.emit("msg:custom", { kind: "heard", id: "of another view" }, []);
    assert.match(said() ?? "", /does not answer/);
    model.emit("msg:custom", { kind: "heard", id }, []);
    assert.equal(said(), "");
  });

  test("where messages cannot be sent any more, the kernel is gone", () => {
    model.send = () => {
      throw new Error("Cannot send");
    };
    const { said } = rendered();
    assert.match(said() ?? "", /was restarted, or it ended: run this cell again/);
  });

  test("when the kernel restarts, the page stays and the cell must be run again", async () => {
    const { said, frame, end } = rendered();
    const [{ id }] = model.sent[0];
    reply({ id, more: false }, "<p>page");
    await new Promise((drawn) => setImmediate(() => setImmediate(drawn)));
    model.emit("comm_live_update");
    assert.match(said() ?? "", /was restarted, or it ended: run this cell again/);
    assert.ok(!frame?.hidden && frame?.srcdoc === "<p>page");
    end();
  });

  test("what Python refuses is said", () => {
    const { said, frame } = rendered();
    reply({ id: model.sent[0][0].id, failed: "This view is of another version …" });
    assert.equal(said(), "This view is of another version …");
    assert.equal(frame?.srcdoc, "");
  });

  test("a selection that Python sets before the page is there is the one it opens with", async () => {
    rendered();
    Object.assign(model.all, { head: 3, row: 2, col: 1, tab: "heads" });
    for (const name of ["head", "row", "col", "tab"]) model.emit(`change:${name}`);
    await Promise.resolve();
    assert.deepEqual(
      model.sent.map(([{ target }]) => target),
      ["/?t=1", "/?t=1&head=3&cell=weights.2.1&tab=heads"],
    );
  });
});
