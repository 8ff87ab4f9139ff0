import { WAYS } from "../core/address/fields.js";
import { h } from "../lib/dom.js";
import { makeSelect, setOptions } from "../lib/select.js";
import { offerIndices } from "../lib/count-select.js";
import { showsWords, hasSplitWords } from "./pair.js";

/** @import {Comparison, PairStore} from "./pair.js" */

const AXES = /** @type {const} */ ([
  ["layer", "num_layers"],
  ["head", "num_heads"],
  ["batch", "batch"],
]);

/** @param {HTMLElement} root @param {PairStore} store */
export function sharedOptions(root, store) {
  const { t } = store;
  const field = (/** @type {string} */ name, /** @type {HTMLElement} */ control) =>
    h("label", { class: "field" }, h("span", {}, t(`compare.${name}`)), control);
  const places = AXES.map(([axis, size]) => {
    const select = makeSelect((at) => store.set({ view: { ...store.get().view, [axis]: Number(at) } }));
    return { axis, size, select, label: field(axis, select) };
  });
  const align = makeSelect((way) => store.set({ align: way === "edit" ? "edit" : "position" }));
  const tokens = makeSelect((name) => {
    const view = { ...store.get().view, tokens: /** @type {"pieces" | "words"} */ (name) };
    store.set({ hover: null, view: { ...view, cell: null, stage: null } }); // words and tokens have different indices
  });
  const counted = field("tokens", tokens);
  const ways = /** @type {const} */ (["keys", "queries"]).map((side) => {
    const select = makeSelect((way) => store.set({ view: { ...store.get().view, [side]: way } }));
    return { side, select, label: h("label", { class: "field" }, h("span", {}, t(`sentence.${side}`)), select) };
  });
  const note = h("span", { class: "muted" }, t("compare.words_about"));
  const swap = h("button", { type: "button", class: "button", onclick: () => exchange(store) }, t("compare.swap"));
  root.append(...places.map(({ label }) => label), field("align", align), counted);
  root.append(...ways.map(({ label }) => label), swap, note);
  return {
    /** @param {Comparison} state */
    update(state) {
      setOptions(align, ["position", "edit"], state.align, (way) => t(`compare.align.${way}`));
      counted.hidden = !hasSplitWords(state);
      note.hidden = !showsWords(state);
      setOptions(tokens, ["pieces", "words"], state.view.tokens, (name) => t(`compare.tokens.${name}`));
      for (const { side, select, label } of ways) {
        label.hidden = !showsWords(state);
        setOptions(select, WAYS, state.view[side], (way) => t(`sentence.way.${way}`));
      }
      for (const { axis, size, select, label } of places) {
        const both = least(state, size);
        label.hidden = both < 2;
        offerIndices(select, both, state.view[axis], (at) => String(at + Number(axis === "batch")));
      }
    },
  };
}

/** @param {PairStore} store */
function exchange(store) {
  const { a, b } = store.get();
  store.set({ a: b, b: a });
}

/** @param {Comparison} state @param {"num_layers" | "num_heads" | "batch"} size */
const least = ({ a, b }, size) => Math.min(...[a, b].map(({ answer }) => answer?.reply.shape[size] ?? 1));
