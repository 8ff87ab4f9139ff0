import assert from "node:assert/strict";
import test from "node:test";
import { drawerIn } from "../../../static/js/question/drawer.js";
import { newDocument } from "../support/document.js";
import { storeOf } from "../support/state.js";

const document = newDocument();

function summaryOf(name, model = {}, other = {}) {
  const store = storeOf(name);
  const state = store.get();
  const { summary, update } = drawerIn(document.createElement("div"), store);
  update({ ...state, question: { ...state.question, model: { ...state.question.model, ...model } }, ...other });
  return summary.textContent;
}

test("the line says how many layers and heads there are, and one is one", () => {
  assert.match(summaryOf("layers"), /· 2 layers × 2 heads ·/);
  assert.match(summaryOf("cat", { num_heads: 1 }), /· 1 layer × 1 head ·/);
});

test("of a decoder it says blocks, each with two attentions, though its answer has layers of both", () => {
  const { shape } = storeOf("decoder").get().answer.reply;
  assert.equal(shape.num_layers, 4);
  assert.match(summaryOf("decoder"), /· 2 blocks × 2 attentions × 2 heads ·/);
  assert.match(summaryOf("decoder", { num_layers: 1 }), /· 1 block × 2 attentions ×/);
});

test("while files are awaited, no size of the earlier answer is claimed", () => {
  const unsaid = { source: "uploaded", id: null, num_layers: null, num_heads: null };
  assert.match(summaryOf("layers", unsaid), /×/);
  assert.doesNotMatch(summaryOf("layers", unsaid, { status: "no_upload" }), /×/);
});
