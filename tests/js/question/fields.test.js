import assert from "node:assert/strict";
import test from "node:test";
import { idleReason, numberAtPower } from "../../../static/js/question/fields.js";

/** Every place of a slider, as a hundredth of a power. */
const places = (least, most) => Array.from({ length: (most - least) / 2 + 1 }, (_, at) => least + 2 * at);

test("every step of a slider is another number, and the number leads back to its place", () => {
  for (const [least, most] of [
    [-100, 100], // the temperature
    [-300, 100], // the scale
  ]) {
    const numbers = places(least, most).map((place) => numberAtPower(place / 100));
    const back = numbers.map((number) => 2 * Math.round(50 * Math.log10(number)));
    assert.deepEqual(back, places(least, most));
    assert.equal(new Set(numbers).size, numbers.length);
  }
});

test("a number of a slider has few digits", () => {
  assert.deepEqual([-3, -0.3, 0, 0.02, 0.3, 1].map(numberAtPower), [0.001, 0.501, 1, 1.05, 2, 10]);
});

test("what means nothing in a question says why: the norm of no decoder, the activation of no MLP", () => {
  const why = (path, model, context = null) =>
    idleReason({ question: { context, model: { source: "seeded", block: "attention", mlp: false, ...model } } }, path);
  assert.equal(why("model.norm", {}), "field.norm.idle");
  assert.equal(why("model.norm", { block: "pre_norm", mlp: true }), "field.norm.idle");
  assert.equal(why("model.activation", {}), "field.activation.idle");
  assert.equal(why("model.activation", { mlp: true }), null);
  for (const path of ["model.norm", "model.activation"]) assert.equal(why(path, { block: "decoder" }, "a dog"), null);
  assert.equal(why("window", {}), null);
  assert.equal(why("window", {}, "a dog"), "context.idle");
  assert.equal(why("window", { block: "decoder" }, "a dog"), null);
});
