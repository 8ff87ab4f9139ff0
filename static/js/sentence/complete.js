/** What stands under the sentence, or does something with it: fetched once its numbers have come. */

import { windowsOf } from "../core/token-windows.js";
import { h } from "../lib/dom.js";
import { Expected } from "./expected.js";
import { HeadChips } from "./head-chips.js";
import { SeenLine } from "./seen-line.js";
import { TokenHand } from "./token-hand.js";

/** @typedef {import("../core/state.js").State} State */

/**
 * Of a text that is too tall for its view, the line with the token that is seen is shown.
 * @param {HTMLElement} view
 * @param {import("./token-row.js").TokenRow[]} rows
 * @param {import("./seen.js").Seen} seen
 */
function bringIntoSight(view, rows, { axis, at }) {
  const box = (rows.find((row) => row.axis === axis) ?? rows[0]).boxes.get(at);
  const { scrollTop, clientHeight, scrollHeight } = view;
  if (!box || scrollHeight <= clientHeight) return;
  const hidden = box.top < scrollTop || box.top + box.height > scrollTop + clientHeight;
  if (hidden) view.scrollTop = box.top - (clientHeight - box.height) / 2;
}

/** @param {import("./seen.js").Axis} axis */
const otherThan = (axis) => (axis === "query" ? "key" : "query");

/**
 * @param {HTMLElement} root
 * @param {import("./token-row.js").TokenRow[]} rows
 * @param {import("../core/state.js").Store} store
 * @param {HTMLElement} line where it is said what is seen
 */
export function complete(root, rows, store, line) {
  const view = /** @type {HTMLElement} */ (rows[0].root.closest(".sentence-view"));
  let led = "";
  const chips = h("div", { class: "head-chips" });
  root.append(chips);
  for (const row of rows) new TokenHand(row);
  const heads = new HeadChips(chips, store);
  const said = new SeenLine(line, store);
  const expected = new Expected(said.next, store);
  return {
    /** @param {State} state @param {import("./seen.js").Seen | null} seen */
    tell(state, seen) {
      for (const { axis, part } of rows)
        if (part) windowsOf(store).want(`sentence ${axis}`, axis, [part.from, part.to]);
      if (seen?.best) windowsOf(store).want("seen", otherThan(seen.axis), [seen.best.at, seen.best.at + 1]);
      said.tell(state, seen);
      const token = seen && `${seen.axis} ${seen.at}`;
      if (token && token !== led) bringIntoSight(view, rows, seen);
      led = token ?? led;
    },
    /** @param {State} state @param {State} [previous] */
    update(state, previous) {
      heads.update(state, previous);
      expected.update(state);
    },
  };
}
