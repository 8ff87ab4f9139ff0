/** What A and B share: layer, head, sentence of the batch, how tokens are aligned; and the exchange. */

import { fill, h } from "../lib/dom.js";

/** @typedef {import("../data/comparing.js").Comparison} Comparison */
/** @typedef {import("../data/comparing.js").PairStore} PairStore */

const AXES = /** @type {const} */ ([
  ["layer", "num_layers"],
  ["head", "num_heads"],
  ["batch", "batch"],
]);

/** @param {HTMLElement} root @param {PairStore} store */
export function both(root, store) {
  const { t } = store;
  const choices = AXES.map(([axis, size]) => {
    const select = h("select", {
      onchange: () => store.set({ view: { ...store.get().view, [axis]: Number(select.value) } }),
    });
    const label = h("label", { class: "field" }, h("span", {}, t(`compare.${axis}`)), select);
    return { axis, size, select, label };
  });
  const align = h(
    "select",
    { onchange: () => store.set({ align: align.value === "edit" ? "edit" : "position" }) },
    ["position", "edit"].map((way) => h("option", { value: way }, t(`compare.align.${way}`))),
  );
  const swap = h("button", { type: "button", class: "button", onclick: exchange }, t("compare.swap"));
  root.append(
    ...choices.map(({ label }) => label),
    h("label", { class: "field" }, h("span", {}, t("compare.align")), align),
    swap,
  );

  function exchange() {
    const { a, b } = store.get();
    store.set({ a: b, b: a });
  }

  /** @param {Comparison} state @param {"num_layers" | "num_heads" | "batch"} size */
  const least = ({ a, b }, size) =>
    Math.min(...[a, b].map(({ answer }) => answer?.reply.shape[size] ?? 1));

  return {
    /** @param {Comparison} state */
    update(state) {
      align.value = state.align;
      for (const { axis, size, select, label } of choices) {
        const count = least(state, size);
        label.hidden = count < 2;
        if (select.options.length !== count)
          fill(select, Array.from({ length: count }, (_, at) => h("option", { value: at }, at + Number(axis === "batch"))));
        select.value = String(state.view[axis]);
      }
    },
  };
}
