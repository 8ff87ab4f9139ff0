import assert from "node:assert/strict";
import test from "node:test";
import { palette } from "../../../static/js/lib/paint.js";
import { textColor } from "../../../static/js/lib/text-color.js";

const GREYS = palette("000000ffffff");

test("a text is black or white, whichever has the greater contrast as WCAG counts it", () => {
  const luminance = (grey) => {
    const part = grey / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  for (let grey = 0; grey < 256; grey++) {
    const light = luminance(grey);
    const black = (light + 0.05) / 0.05;
    const white = 1.05 / (light + 0.05);
    assert.equal(textColor(GREYS, grey), black > white ? "#000" : "#fff", `grey ${grey}`);
  }
});
