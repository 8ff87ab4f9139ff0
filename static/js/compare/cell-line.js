import { NAMES, valuesOf } from "./three-values.js";
import { bodyOf } from "../core/question.js";
import { valueRows } from "../difference/value-list.js";
import { fill, h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { labelOf } from "../matrix/names.js";
import { placeOf } from "../matrix/cell-place.js";

/** @import {Comparison, PairStore} from "./pair.js" */

/** @type {Record<string, (question: any) => object>} */
const CHANGES = {
  seed: ({ model }) => ({ model: { ...model, seed: (model.seed ?? 0) + 1 } }),
  mask: () => ({ causal: false }),
  scale: () => ({ scale: "none" }),
  temperature: () => ({ temperature: 2 }),
};

/** @param {HTMLElement} root @param {PairStore} store @param {import("./three-values.js").Stores} stores */
export function cellLine(root, store, stores) {
  const { t } = store;
  const pair = stores.difference;
  const spoken = h("p", { class: "hidden", "aria-live": "polite" });
  const line = h("div", { class: "line" });
  root.append(line, spoken);

  /** @param {Comparison} state @param {Cell} cell */
  function values(state, cell) {
    const numbers = valuesOf(stores, cell);
    const where = placeOf(pair, pair.get(), cell);
    const title = `${labelOf(pair, cell.stage)}, ${where}`;
    const texts = NAMES.map((name) => [t(`compare.${name}`), numberOf(pair, name, numbers[name])]);
    if (state.hover?.keys) spoken.textContent = `${title}: ${texts.map((each) => each.join(" ")).join(", ")}`;
    fill(
      line,
      h("b", { class: "cell" }, title),
      h("dl", {}, valueRows(NAMES.map((name, at) => ({ of: name, label: texts[at][0], value: texts[at][1] })))),
    );
  }

  /** @param {Comparison} state */
  function alike(state) {
    const applies = Object.entries(CHANGES).filter(([name]) => name !== "seed" || "seed" in state.b.question.model);
    fill(
      line,
      h("span", { class: "muted" }, t("compare.alike")),
      applies.map(([name, change]) =>
        h("button", { type: "button", class: "button", onclick: () => apply(change) }, t(`compare.try.${name}`)),
      ),
    );
  }

  /** @param {(question: any) => object} change */
  function apply(change) {
    const { b } = store.get();
    store.set({ b: { ...b, question: { ...b.question, ...change(b.question) } } });
  }

  return {
    /** @param {Comparison} state */
    update(state) {
      const cell = state.hover ?? state.view.cell;
      const same = JSON.stringify(bodyOf(state.a.question)) === JSON.stringify(bodyOf(state.b.question));
      if (cell && pair.get().answer) values(state, cell);
      else if (same) alike(state);
      else fill(line, h("span", { class: "muted" }, t("compare.hint")));
    },
  };
}

/**
 * @param {Store} store @param {import("./three-values.js").Name} name
 * @param {number | null | undefined} value
 */
export function numberOf({ t, get }, name, value) {
  if (value === undefined || (value === null && name === "difference")) return "–";
  if (value === null) return t("legend.masked");
  return (name === "difference" && value > 0 ? "+" : "") + format(value, get().view.precision);
}
