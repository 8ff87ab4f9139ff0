import assert from "node:assert/strict";
import test from "node:test";
import { stagesOn, allStages } from "../../../static/js/core/page.js";
import { formulaText } from "../../../static/js/stages/large-stage.js";
import { page } from "../support/sent.js";

const store = { page, t: (key) => `said as ${key}` };
// What a formula is made of in every language, beside the names of the table.
const ACTIVATIONS = ["max", "gelu", "gelu_tanh", "silu"];
const SIGNS = [...ACTIVATIONS, "exp", "tanh", "scale", "temperature", "slope", "cap", "middle", "LN", "MLP"];

test("a formula that is more than names and signs has words of its own in every language", () => {
  const names = new Set([...allStages(page).map(({ name }) => name), ...SIGNS]);
  let own = 0;
  for (const { formula, variants } of stagesOn(page))
    for (const each of [formula, ...Object.values(variants).map((one) => one.formula)]) {
      if (formulaText(store, each).startsWith("said as words.")) own += 1;
      else
        for (const word of each.match(/[A-Za-z_]{3,}/g) ?? [])
          assert.ok(names.has(word), `a message words.… for ${word} in ${each}`);
    }
  assert.ok(own >= 7);
});
