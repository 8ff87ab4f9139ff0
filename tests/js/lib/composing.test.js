import assert from "node:assert/strict";
import test from "node:test";
import { isComposing } from "../../../static/js/lib/composing.js";

test("a key is an input method's during the composition, and after it if it has the code 229", () => {
  assert.ok(isComposing({ isComposing: true, keyCode: 13 }));
  assert.ok(isComposing({ isComposing: false, keyCode: 229 }));
  assert.ok(!isComposing({ isComposing: false, keyCode: 13 }));
});
