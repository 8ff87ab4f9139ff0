import assert from "node:assert/strict";
import test from "node:test";
import { colorOfHead } from "../../../static/js/lines/head-color.js";

const hueOf = (place) => Number(colorOfHead(place, "light").match(/([\d.]+)\)$/)[1]);

test("neighbours are far apart in hue, and a head keeps its own", () => {
  const hues = [0, 1, 2, 3].map((head) => hueOf({ layer: 0, head }));
  for (let at = 1; at < hues.length; at++) {
    const far = Math.abs(hues[at] - hues[at - 1]);
    assert.ok(Math.min(far, 360 - far) > 90);
  }
  assert.equal(hueOf({ layer: 0, head: 2 }), hues[2]);
  assert.notEqual(hueOf({ layer: 1, head: 0 }), hues[0]);
});

test("lines are light on a dark page", () => {
  assert.match(colorOfHead({ layer: 0, head: 0 }, "dark"), /^oklch\(0\.76 /);
  assert.match(colorOfHead({ layer: 0, head: 0 }, "light"), /^oklch\(0\.52 /);
});
