/** Announces the cell that a key moved to. */

import { stageOf } from "../core/page.js";
import { pictureOf } from "../core/picture.js";
import { selection } from "../core/state.js";
import { format } from "../lib/numbers.js";
import { isClosed, valueAt } from "../lib/paint.js";
import { labelOf } from "./names.js";
import { placeOf } from "./cell-text.js";
import { isExact } from "./read-cell.js";

/** @type {ViewOf} */
export function cellAnnouncer(root, store) {
  root.setAttribute("aria-live", "polite");
  return {
    update(state, previous) {
      const { hover, answer } = state;
      if (hover === previous?.hover && state.exact === previous.exact) return;
      if (!hover?.keys || !answer) return;
      const picture = pictureOf(store.page, answer, stageOf(store.page, hover.stage), selection(state));
      if (!picture || !isExact(picture, hover)) return; // announced once it has loaded
      const { row, col } = hover;
      const left = picture.left?.includes(col);
      const value = left
        ? store.t("cell.left_out")
        : isClosed(picture, row, col)
          ? store.t("legend.masked")
          : format(valueAt(picture, row, col), state.view.precision);
      root.textContent = `${labelOf(store, hover.stage)}, ${placeOf(store, state, hover)}: ${value}`;
    },
    destroy: () => root.replaceChildren(),
  };
}
