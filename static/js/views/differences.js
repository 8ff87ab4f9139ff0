/** Every stage in a line: how far A and B lie apart there, and where most. */

import { told } from "../data/comparing.js";
import { selection } from "../data/state.js";
import { fill, h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { labelOf, placeOf } from "./words.js";

/** @typedef {import("../data/difference.js").Difference} Difference */
/** @typedef {import("../data/difference.js").Measure} Measure */
/** @typedef {import("../data/page.js").Stage} Stage */
/** @typedef {import("../data/state.js").State} State */

/**
 * @param {HTMLElement} root
 * @param {import("../data/comparing.js").PairStore} pair
 * @param {import("../data/state.js").Store} store of the difference
 */
export function differences(root, pair, store) {
  const { t } = store;
  const body = h("tbody");
  const names = ["stage", "max", "where", "mean"];
  root.append(
    h(
      "table",
      {},
      h("caption", { class: "hidden" }, t("compare.table")),
      h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col" }, t(`compare.${name}`))))),
      body,
    ),
  );
  /** @type {State | null} */
  let last = null;

  /** @param {State} state @param {Stage} stage */
  function line(state, stage) {
    const difference = /** @type {Difference | null} */ (/** @type {unknown} */ (state.answer));
    const measure = difference?.measure(stage, selection(state));
    if (!measure) return null;
    const { max, mean, cells, row, col } = measure;
    const { precision } = state.view;
    const cell = { stage: stage.name, row, col };
    const press = () => store.set({ view: { ...store.get().view, cell } });
    const far = cells > 0 && max > 0;
    const bar = h("i", { class: "bar" });
    bar.style.width = `${Math.min(100, (100 * max) / (farthest(difference, stage, state) || 1))}%`;
    const name = h("a", { href: `#stage-${stage.name}`, onclick: go }, labelOf(store, stage.name));
    return h(
      "tr",
      { class: far ? "" : "same" },
      h("th", { scope: "row" }, name),
      h("td", { class: "max" }, h("span", { class: "track" }, bar), cells ? format(max, precision) : "–"),
      h(
        "td",
        {},
        far && h("button", { type: "button", class: "link", onclick: press }, placeOf(store, state, cell)),
        !far && (cells ? t("compare.same") : t("compare.nothing")),
      ),
      h("td", { class: "mean" }, cells ? format(mean, precision) : "–"),
    );
  }

  return {
    update() {
      const state = store.get();
      const { view } = state;
      root.hidden = !told(pair.get(), store.page.stages[0]);
      const same =
        last?.answer === state.answer &&
        ["batch", "layer", "head", "precision"].every(
          (key) => /** @type {any} */ (last?.view)[key] === /** @type {any} */ (view)[key],
        );
      if (same) return;
      last = state;
      const stages = store.page.stages.filter((stage) => told(pair.get(), stage));
      fill(body, stages.map((stage) => line(state, stage)));
    },
  };
}

/**
 * What a full bar stands for: as far as two numbers of the stage can lie apart.
 * @param {Difference | null} difference
 * @param {Stage} stage
 * @param {State} state
 */
function farthest(difference, stage, state) {
  const spanned = /** @type {import("../data/pictures.js").Spanned | undefined} */ (difference?.sides.a);
  if (stage.kind === "weights") return 1;
  return 2 * (spanned?.extent?.(stage, selection(state)).size ?? 0);
}

/** The hash holds matrices: a link inside the page scrolls and leaves it alone. @param {Event} event */
function go(event) {
  event.preventDefault();
  const link = /** @type {HTMLAnchorElement} */ (event.currentTarget);
  const target = document.getElementById(link.hash.slice(1));
  target?.scrollIntoView({ block: "start" });
  /** @type {HTMLElement | null | undefined} */ (target?.querySelector("figure:last-child .plot"))?.focus({
    preventScroll: true,
  });
}
