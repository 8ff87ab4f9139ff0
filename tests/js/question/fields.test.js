import assert from "node:assert/strict";
import test from "node:test";
import { numberAtPower } from "../../../static/js/question/fields.js";

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
