/** What stands under the sentence, or does something with it: fetched once its numbers have come. */

import { windowsOf } from "../core/token-windows.js";
import { h } from "../lib/dom.js";
import { Expected } from "./expected.js";
import { HeadChips } from "./head-chips.js";
import { SeenLine } from "./seen-line.js";
import { TokenHand } from "./token-hand.js";

/** @typedef {import("../core/state.js").State} State */

/** @param {import("./seen.js").Axis} axis */
const otherThan = (axis) => (axis === "query" ? "key" : "query");

/**
 * @param {HTMLElement} root
 * @param {import("./token-row.js").TokenRow[]} rows
 * @param {import("../core/state.js").Store} store
 * @param {HTMLElement} line where it is said what is seen
 */
export function complete(root, rows, store, line) {
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
    },
    /** @param {State} state @param {State} [previous] */
    update(state, previous) {
      heads.update(state, previous);
      expected.update(state);
    },
  };
}
