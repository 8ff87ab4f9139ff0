import assert from "node:assert/strict";
import test from "node:test";
import { Problem } from "../../../static/js/core/api.js";
import { withLabels } from "../../../static/js/core/error-labels.js";
import { asQuestion } from "../../../static/js/core/question.js";
import { page } from "../support/sent.js";

const labels = { "field.d_model": "Width", "field.num_heads": "Heads", "field.window": "Window" };
const labelled = { ...page, messages: { ...page.messages, ...labels } };
const problem = (at, message) =>
  new Problem({ status: 422, code: "invalid", detail: message, errors: [{ at, message }] });
const blame = (asked, at, message) => withLabels(labelled, asQuestion(page, asked), problem(at, message));

test("a sentence that begins with a field's name begins with its label instead", () => {
  const { message, errors } = blame({}, "window", "window must be at least 1");
  assert.equal(message, "“Window” must be at least 1");
  assert.deepEqual(errors, [{ at: "window", message: "“Window” must be at least 1" }]);
});

test("other sentences, and fields without a label, stay as they are", () => {
  assert.equal(blame({}, "window", "The window is small").message, "The window is small");
  assert.equal(blame({}, "no.such", "no.such is wrong").message, "no.such is wrong");
  assert.equal(blame({}, "window", "windowless rooms").message, "windowless rooms");
  assert.equal(blame({}, null, "too much").message, "too much");
});

test("heads and width that do not fit are shown of the heads where they were touched, else of the width", () => {
  const at = (model) => blame({ model: { source: "seeded", ...model } }, "model.num_heads", "no fit").errors[0].at;
  assert.equal(at({ d_model: 7 }), "model.d_model");
  assert.equal(at({ num_heads: page.defaults.model.num_heads + 1 }), "model.num_heads");
});

test("a problem keeps its code and status", () => {
  const { code, status } = blame({}, "window", "window is wrong");
  assert.deepEqual([code, status], ["invalid", 422]);
});
