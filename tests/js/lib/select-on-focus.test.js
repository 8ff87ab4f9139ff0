import assert from "node:assert/strict";
import test from "node:test";
import { selectOnFocus } from "../../../static/js/lib/select-on-focus.js";
import { newDocument } from "../support/document.js";

function press(input) {
  const send = (name) => input.dispatchEvent(new MouseEvent(name, { bubbles: true, cancelable: true }));
  send("mousedown");
  input.focus();
  return !send("mouseup");
}

test("the press that gives an input the focus leaves its text selected, in Safari too; a later one sets the caret", () => {
  const document = newDocument();
  const input = document.createElement("input");
  input.value = "0.25";
  document.body.append(input);
  selectOnFocus(input);
  const isCancelled = press(input);
  assert.deepEqual([input.selectionStart, input.selectionEnd, isCancelled], [0, 4, true]);
  assert.equal(press(input), false);
  input.blur();
  assert.equal(press(input), true);
});
