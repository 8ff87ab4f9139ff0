import assert from "node:assert/strict";
import test from "node:test";
import { BY_PLACE } from "../../../static/js/learn/exercise-places.js";

test("an exercise of old progress has one place in its chapter", () => {
  for (const [chapter, places] of BY_PLACE) {
    const names = places.split(" ").filter((name) => name !== "-");
    assert.match(names.join(" "), /^([a-z_]+ ?)+$/, chapter);
    assert.equal(new Set(names).size, names.length, chapter);
  }
});
