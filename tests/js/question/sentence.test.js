import assert from "node:assert/strict";
import test from "node:test";
import { sentence } from "../../../static/js/question/sentence.js";
import { newDocument } from "../support/document.js";
import { storeOf } from "../support/state.js";

const document = newDocument();

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
  assert.equal(area.rows, 2);
  assert.equal(root.querySelectorAll("textarea").length, 1); // there is no context
});

test("a long sentence has several lines in browsers that do not fit the box to its text", () => {
  const store = storeOf("cat");
  const root = document.createElement("div");
  const { question } = store.get();
  const rowsOf = (words) => {
    sentence(root, store).update({ ...store.get(), question: { ...question, text: "word ".repeat(words) } });
    return [...root.querySelectorAll("textarea")].at(-1).rows;
  };
  assert.deepEqual([rowsOf(17), rowsOf(30), rowsOf(2000)], [1, 2, 4]);
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
