import assert from "node:assert/strict";
import test from "node:test";
import { rangeIn } from "../../../static/js/matrix/legend.js";
import { storeOf } from "../support/state.js";

const { t } = storeOf("cat");
const choices = (picture) => ["auto", "fixed", "row", "data"].map((range) => rangeIn(t, range, picture));

test("every range of the colours says what it does to the picture, and no two say the same", () => {
  const causal = choices({ size: 1, most: 1, cols: 12 });
  assert.deepEqual(causal, ["auto: 0 to 1", "0 to 1 always", "0 to each row’s largest", "0 to the largest, 1"]);
  assert.equal(choices({ size: 0.25, most: 0.25, cols: 12 })[3], "0 to the largest, 0.25");
  assert.equal(choices({ size: 1, most: 1, cols: 65 })[0], "auto: √");
});
