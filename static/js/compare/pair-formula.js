import { formulaOf } from "../core/page.js";
import { fill, h, math } from "../lib/dom.js";

/**
 * @param {Record<"a" | "b", Store>} stores @param {Stage} stage
 */
export function formulas(stores, stage) {
  const root = h("span", { class: "formula", translate: "no" });
  let shown = "";
  return {
    root,
    update() {
      const [a, b] = [stores.a, stores.b].map((store) => formulaOf(stage, store.get()).mathml);
      if (a + b === shown) return;
      shown = a + b;
      const side = (/** @type {"a" | "b"} */ name, /** @type {string} */ formula) =>
        h("span", {}, h("b", {}, stores.a.t(`compare.${name}`)), " ", math(formula));
      fill(root, a === b ? math(a) : [side("a", a), side("b", b)]);
    },
  };
}
