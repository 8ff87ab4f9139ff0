import assert from "node:assert/strict";
import test from "node:test";
import { palette } from "../../../static/js/lib/paint.js";
import { colorsOf } from "../../../static/js/matrix/colors.js";

const page = {
  colors: {
    light: { sequential: "ffffff000080", diverging: "800000ffffff000080" },
    dark: { sequential: "000000ffff80", diverging: "ff8080000000ffff80" },
  },
};

test("weights run from nothing to one, whatever else has a sign, in the colours of the theme", () => {
  assert.equal(colorsOf(page, "light", "weights"), palette(page.colors.light.sequential));
  assert.equal(colorsOf(page, "light", "signed"), palette(page.colors.light.diverging));
  assert.equal(colorsOf(page, "dark", "difference"), palette(page.colors.dark.diverging));
});
