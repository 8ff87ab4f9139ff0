import assert from "node:assert/strict";
import test from "node:test";
import { Heatmap } from "../../../static/js/matrix/heatmap.js";
import { stageOf } from "../../../static/js/core/page.js";
import { newDocument } from "../support/document.js";
import { page } from "../support/sent.js";
import { storeOf } from "../support/state.js";

test("names are measured as they are written, in styles that are read before a picture is drawn", () => {
  const document = newDocument();
  /** @type {string[]} */
  const happened = [];
  globalThis.getComputedStyle = /** @type {any} */ (
    ({ style }) => {
      happened.push("read");
      return style;
    }
  );
  /** @type {(entries: any[]) => void} */
  let report = () => undefined;
  globalThis.ResizeObserver = /** @type {any} */ (
    class {
      /** @param {typeof report} callback */
      constructor(callback) {
        report = callback;
      }
      observe() {}
    }
  );
  const heatmaps = ["22px", "11px"].map((size) => {
    const root = document.createElement("div");
    // Safari does not compute clamp() for a canvas.
    root.style.cssText = `--label-size: clamp(11px, 2.4vmin, 40px); font-size: ${size}; font-family: serif`;
    document.body.append(root);
    const heatmap = new Heatmap(root, storeOf("cat"), stageOf(page, "weights"), { most: 40, gutter: 62 });
    heatmap.draw = () => void happened.push("draw");
    return heatmap;
  });
  report(heatmaps.map(({ root }) => ({ target: root, contentRect: { width: 400, height: 300 } })));
  const room = { width: 400, height: 300, family: "serif" };
  assert.deepEqual(
    heatmaps.map((heatmap) => heatmap.room),
    ["22px serif", "11px serif"].map((font) => ({ ...room, font })),
  );
  assert.deepEqual(happened, ["read", "read", "draw", "draw"]);
});
