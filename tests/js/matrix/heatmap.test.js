import assert from "node:assert/strict";
import test from "node:test";
import { Heatmap } from "../../../static/js/matrix/heatmap.js";
import { stageOf } from "../../../static/js/core/page.js";
import { newDocument } from "../support/document.js";
import { page } from "../support/sent.js";
import { storeOf } from "../support/state.js";

test("names are measured in the size in which they are written, which Safari does not compute for a canvas", () => {
  const document = newDocument();
  globalThis.getComputedStyle = /** @type {any} */ (({ style }) => style);
  globalThis.ResizeObserver = class {
    observe() {}
    disconnect() {}
  };
  const root = document.createElement("div");
  root.style.cssText = "--label-size: clamp(11px, 2.4vmin, 40px); font-size: 22px; font-family: serif";
  document.body.append(root);
  const heatmap = new Heatmap(root, storeOf("cat"), stageOf(page, "weights"), { most: 40, gutter: 62 });
  heatmap.draw = () => undefined;
  heatmap.resize({ width: 400, height: 300 });
  assert.equal(heatmap.room.font, "22px serif");
});
