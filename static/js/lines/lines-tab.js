import { startAllHeads } from "../core/all-heads.js";
import { h } from "../lib/dom.js";
import { LineOptions } from "./line-options.js";
import { LineWeb } from "./line-web.js";

/** @type {ViewOf} */
export function lines(root, store) {
  const options = new LineOptions(store);
  const drawing = h("div");
  root.classList.add("lines");
  root.append(options.root, drawing);
  const web = new LineWeb(drawing, store);
  /** @type {State | undefined} */
  let drawn;
  startAllHeads(store);

  return {
    update(state) {
      if (state.view.tab !== "lines" || !state.answer) return;
      if (isOther(state, drawn)) options.show(state);
      web.update(state, drawn);
      drawn = state;
    },
    destroy() {
      web.destroy();
      root.replaceChildren();
    },
  };
}

/** @param {State} state @param {State} [drawn] */
const isOther = ({ view, answer, theme, every }, drawn) =>
  view !== drawn?.view || answer !== drawn.answer || theme !== drawn.theme || every !== drawn.every;
