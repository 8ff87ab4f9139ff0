import assert from "node:assert/strict";
import test from "node:test";
import { TilePainter, bitmapOf } from "../../../static/js/map/paint-tiles.js";
import { sheetOfPaper } from "../support/sheet.js";

const painted = [];
class Image {
  constructor(width, height) {
    this.data = { buffer: new ArrayBuffer(4 * width * height) };
  }
}
class Canvas {
  getContext = () => ({ putImageData: ({ data }) => painted.push([...new Uint32Array(data.buffer)]) });
}
Object.assign(globalThis, { ImageData: Image, OffscreenCanvas: Canvas });

const PIXELS = Uint32Array.from({ length: 256 }, (_, code) => 1000 + code);
const tile = (rows = 256, cols = 256, open = true) => ({
  rows,
  cols,
  codes: new Uint8Array(rows * cols),
  open,
  bitmap: null,
  painted: null,
});
const SHEET = { key: "map", extent: { levels: 3 } };
const hatch = { setTransform: () => undefined };

/** Draws what is seen of a map out of the tiles that are here. */
function draw(here, span, lie) {
  const paper = sheetOfPaper();
  const store = { get: (name) => here[name] };
  const found = new TilePainter(paper.context, store).draw(SHEET, span, lie, PIXELS, hatch);
  return { found, images: paper.of("drawImage").map(([, ...at]) => at), hatched: paper.of("fillRect") };
}

test("a tile is coloured once, and again in other colours", () => {
  const held = { ...tile(1, 3), codes: Uint8Array.of(2, 0, 255) };
  const bitmap = bitmapOf(held, PIXELS);
  assert.equal(bitmapOf(held, PIXELS), bitmap);
  assert.deepEqual(painted, [[1002, 1000, 1255]]);
  assert.equal(bitmapOf(held, PIXELS.slice()), bitmap);
  assert.equal(painted.length, 2);
});

test("tiles lie on whole pixels and meet", () => {
  const here = { "map 2/0/0": tile(), "map 2/0/1": tile(256, 44) };
  const { images, found } = draw(here, { rows: [0, 256], cols: [0, 300] }, { x: 10.4, y: 5.5, scale: 1.3 });
  const [left, right] = images.toSorted((a, b) => a[4] - b[4]);
  assert.deepEqual(left, [0, 0, 256, 256, 10, 6, 333, 332]);
  assert.deepEqual(right, [0, 0, 44, 256, 343, 6, 57, 332]);
  assert.equal(found.z, 2);
  assert.equal(found.tiles.length, 2);
});

test("what has not come is a part of the coarser tile, and over it the finer ones that are here", () => {
  const span = { rows: [0, 512], cols: [512, 1024] };
  const coarse = draw({ "map 0/0/0": tile(250, 250) }, span, { x: 0, y: 0, scale: 0.5 });
  assert.deepEqual(coarse.images, [[128, 0, 122, 128, 256, 0, 244, 256]]);
  assert.deepEqual(coarse.found.tiles, []);
  const finer = draw({ "map 0/0/0": tile(), "map 2/1/2": tile() }, span, { x: 0, y: 0, scale: 0.5 });
  assert.deepEqual(finer.images[1], [0, 0, 256, 256, 256, 128, 128, 128]);
});

test("behind closed cells there is a hatch, behind open ones and what has not come none", () => {
  const here = { "map 2/0/0": tile(256, 256, false), "map 2/0/1": tile() };
  const { hatched } = draw(here, { rows: [0, 300], cols: [0, 300] }, { x: 0, y: 0, scale: 1 });
  assert.deepEqual(hatched, [[0, 0, 256, 256]]);
});
