import { startAllHeads } from "../core/all-heads.js";
import { h } from "../lib/dom.js";
import { makeSlots } from "../lib/slots.js";
import { CombinedMap } from "./combined-map.js";
import { FoundHeads } from "./found-heads.js";
import { HeadOptions } from "./head-options.js";
import { tiles } from "./head-tiles.js";

/** @type {ViewOf} */
export function grid(root, store, slots = makeSlots()) {
  const options = new HeadOptions(store);
  const found = new FoundHeads(store);
  const [board, side] = [h("div", { class: "board" }), h("div", { class: "together card" })];
  root.classList.add("heads");
  root.append(options.root, options.cut, found.root, slots("heads.about"), board, side, slots("heads"));
  const parts = [tiles(board, store), new CombinedMap(side, store)];
  /** @type {State | undefined} */
  let drawn;
  startAllHeads(store);

  return {
    update(state) {
      if (state.view.tab !== "heads" || !state.answer) return;
      const { view, metrics, answer, attempt } = drawn ?? {};
      const again = state.answer !== answer || state.attempt !== attempt;
      if (again || state.view !== view || state.metrics !== metrics) {
        options.show(state);
        found.show(state);
      }
      for (const part of parts) part.update(state, drawn);
      drawn = state;
    },
    destroy() {
      for (const part of parts) part.destroy();
      root.replaceChildren();
    },
  };
}
