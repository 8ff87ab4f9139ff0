import assert from "node:assert/strict";
import test from "node:test";
import { field } from "../../../static/js/lib/field.js";
import { newDocument } from "../support/document.js";

const document = newDocument();

test("a field is a label with its name and its controls", () => {
  const [input, output] = ["input", "output"].map((tag) => document.createElement(tag));
  const root = field("Layer", input, output);
  assert.equal(root.outerHTML, '<label class="field"><span>Layer</span><input><output></output></label>');
  assert.equal(root.control, input);
});
