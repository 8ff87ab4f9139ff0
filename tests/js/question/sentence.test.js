import assert from "node:assert/strict";
import test from "node:test";
import { sentence } from "../../../static/js/question/sentence.js";
import { newDocument } from "../support/document.js";
import { storeOf } from "../support/state.js";

const document = newDocument();
let resize = () => undefined;
globalThis.requestAnimationFrame = (draw) => draw();
globalThis.ResizeObserver = class {
  constructor(callback) {
    this.callback = callback;
  }
  observe() {
    resize = this.callback;
  }
};

/** The sentence of a question. The box of a context: tests/pages/context.test.js. */
function box(name, more = {}) {
  const root = document.createElement("div");
  const store = storeOf(name, {}, more);
  const part = sentence(root, store);
  part.update(store.get());
  return { root, part, area: root.querySelector("textarea") };
}

test("each line of the box is a sentence of the batch", () => {
  const { root, area } = box("batch");
  assert.equal(area.value, "the cat\na cat saw the dog");
  assert.equal(root.querySelectorAll("textarea").length, 1); // there is no context
});

test("the box is as high as its text, up to four lines, in browsers that do not fit it by themselves", () => {
  const { root, part, area } = box("cat");
  const high = (lines) => Object.defineProperty(area, "scrollHeight", { value: 12 + 20 * lines, configurable: true });
  const rowsAfter = (name, lines) => {
    high(lines);
    if (name === "narrower") resize();
    else part.update(storeOf(name).get());
    return area.rows;
  };
  assert.deepEqual([rowsAfter("batch", 2), rowsAfter("narrower", 3), rowsAfter("cat", 9)], [2, 3, 4]);
  assert.equal(rowsAfter("batch", -0.6), 1, "hidden, it has no height");
  part.destroy();
  assert.equal(root.textContent, "");
});

test("what is wrong with the sentence stands under it, and nothing else does", () => {
  const refused = (at) => ({ problem: { errors: [{ at, message: "It cannot be." }] } });
  assert.equal(box("cat", refused("text.0")).root.querySelector("p").textContent, "It cannot be.");
  const { root, area } = box("cat", refused("context"));
  assert.equal(root.querySelector("p").textContent, "");
  assert.equal(area.hasAttribute("aria-invalid"), false);
});

test("nothing is left of it when it goes", () => {
  const { root, part } = box("cat");
  part.destroy();
  assert.equal(root.textContent, "");
});
