import assert from "node:assert/strict";
import test from "node:test";
import { gradient, palette } from "../../../static/js/lib/palette.js";

const GREYS = palette("000000ffffff");

test("a palette begins and ends with its stops, and lies evenly between them", () => {
  const three = palette("ff0000000000" + "0000ff");
  assert.equal(three.css(0), "rgb(255 0 0)");
  assert.equal(three.css(255), "rgb(0 0 255)");
  // 51 of 255 is two fifths of the way from the first stop to the second: 255 · 3/5.
  assert.equal(three.css(51), "rgb(153 0 0)");
  assert.equal(three.pixels.length, 256);
});

test("a pixel is what ImageData holds: A B G R, opaque", () => {
  assert.equal(palette("102030405060").pixels[0], 0xff302010);
  assert.equal(GREYS.pixels[255], 0xffffffff);
});

test("ink is black or white, whichever has the greater contrast as WCAG counts it", () => {
  const luminance = (grey) => {
    const part = grey / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  for (let grey = 0; grey < 256; grey++) {
    const light = luminance(grey);
    const black = (light + 0.05) / 0.05;
    const white = 1.05 / (light + 0.05);
    assert.equal(GREYS.ink(grey), black > white ? "#000" : "#fff", `grey ${grey}`);
  }
});

test("the same colours are one palette", () => {
  assert.equal(palette("000000ffffff"), GREYS);
});

test("a gradient runs from the first colour to the last", () => {
  const text = gradient(GREYS);
  assert.match(text, /^linear-gradient\(to right, rgb\(0 0 0\), /);
  assert.match(text, /rgb\(255 255 255\)\)$/);
  const half = gradient(GREYS, 128, 255);
  assert.match(half, /^linear-gradient\(to right, rgb\(128 128 128\), .* rgb\(255 255 255\)\)$/);
});
