import assert from "node:assert/strict";
import test from "node:test";
import { writtenName } from "../../../static/js/heads/written-name.js";
import { storeOf } from "../support/state.js";

test("a name is written with its figure, and says how it is measured and from where on it is given", () => {
  const { t } = storeOf("cat");
  const { text, about } = writtenName(t, { induction: 0.914, previous: 0.1 });
  assert.equal(text, "induction 0.91");
  for (const word of ["followed those copies", "0.5", "1.5", "not a claim"]) assert.ok(about.includes(word), word);
  assert.deepEqual(writtenName(t, { first: 0.3 }), { text: "", about: "" });
});
