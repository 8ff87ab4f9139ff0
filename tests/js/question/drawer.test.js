import assert from "node:assert/strict";
import test, { describe } from "node:test";
import { drawerIn, changedText, expectFields, fieldsReady } from "../../../static/js/question/drawer.js";
import { newDocument } from "../support/document.js";
import { page } from "../support/sent.js";
import { storeOf } from "../support/state.js";

describe("drawer", () => {
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
});

describe("changed fields", () => {
  const summaryOf = (question, model = {}) => {
    const store = storeOf("cat");
    const asked = { ...page.defaults, ...question, model: { ...page.defaults.model, ...model } };
    return changedText(store, { question: asked });
  };

  test("what is seldom changed is counted where it is not as by default", () => {
    assert.equal(summaryOf({}), "");
    assert.equal(summaryOf({ window: 3 }, { bias: true }), "2 changed");
    assert.equal(summaryOf({ global_tokens: 1, stride: 2, block_size: 4 }), "3 changed");
  });

  test("what stands in the drawer by itself does not count", () => {
    assert.equal(summaryOf({ causal: false, temperature: 2 }, { seed: 3, num_heads: 1 }), "");
    const trained = { ...page.models.trained, source: "trained", task: "agree", rate: 1, step: 3 };
    assert.equal(changedText(storeOf("cat"), { question: { ...page.defaults, model: trained } }), "");
  });
});

describe("fields ready", () => {
  test("who leads to a field waits for all that are expected, and for those they bring", async () => {
    const order = [];
    const later = (name, more) =>
      new Promise((resolve) => setTimeout(resolve, 5)).then(() => {
        order.push(name);
        more?.();
      });
    expectFields(later("drawer", () => expectFields(later("more"))));
    await fieldsReady();
    assert.deepEqual(order, ["drawer", "more"]);
  });

  test("without expected fields nothing waits", async () => {
    await fieldsReady();
  });
});
