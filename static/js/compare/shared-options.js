/** What A and B share: layer, head, sentence of the batch, how tokens are aligned; and the exchange. */

import { h } from "../lib/dom.js";
import { choice, offer } from "../lib/select.js";
import { count } from "../lib/count-select.js";

/** @typedef {import("./pair.js").Comparison} Comparison */
/** @typedef {import("./pair.js").PairStore} PairStore */

const AXES = /** @type {const} */ ([
  ["layer", "num_layers"],
  ["head", "num_heads"],
  ["batch", "batch"],
]);

/** @param {HTMLElement} root @param {PairStore} store */
export function both(root, store) {
  const { t } = store;
  const field = (/** @type {string} */ name, /** @type {HTMLElement} */ control) =>
    h("label", { class: "field" }, h("span", {}, t(`compare.${name}`)), control);
  const places = AXES.map(([axis, size]) => {
    const select = choice((at) => store.set({ view: { ...store.get().view, [axis]: Number(at) } }));
    return { axis, size, select, label: field(axis, select) };
  });
  const align = choice((way) => store.set({ align: way === "edit" ? "edit" : "position" }));
  const swap = h("button", { type: "button", class: "button", onclick: () => exchange(store) }, t("compare.swap"));
  root.append(...places.map(({ label }) => label), field("align", align), swap);
  return {
    /** @param {Comparison} state */
    update(state) {
      offer(align, ["position", "edit"], state.align, (way) => t(`compare.align.${way}`));
      for (const { axis, size, select, label } of places) {
        const both = least(state, size);
        label.hidden = both < 2;
        count(select, both, state.view[axis], (at) => String(at + Number(axis === "batch")));
      }
    },
  };
}

/** @param {PairStore} store */
function exchange(store) {
  const { a, b } = store.get();
  store.set({ a: b, b: a });
}

/** How many places both have. @param {Comparison} state @param {"num_layers" | "num_heads" | "batch"} size */
const least = ({ a, b }, size) => Math.min(...[a, b].map(({ answer }) => answer?.reply.shape[size] ?? 1));
