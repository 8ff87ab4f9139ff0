import { setView } from "../core/actions.js";
import { togglePin, unpin } from "../core/pointing.js";
import { writeAddress } from "../core/address/address.js";
import { NAMES, largestDifferences, valuesOf, numberOf } from "./three-values.js";
import { SIDES, differenceOf, showsStage, toPieces } from "./pair.js";
import { selection } from "../core/state.js";
import { valueRows } from "../difference/cell-values.js";
import { dataTable } from "../lib/data-table.js";
import { fill, h } from "../lib/dom.js";
import { labelOf } from "../matrix/names.js";
import { placeOf } from "../matrix/cell-text.js";

/** @typedef {import("./pair.js").PairStore} PairStore */
/** @typedef {import("./three-values.js").Stores} Stores */

const GUIDE = ["three", "colours", "hatched", "press"];

/** @param {HTMLElement} root @param {PairStore} pair @param {Stores} stores */
export function pairInspector(root, pair, stores) {
  /** @type {unknown[]} */
  let drawn = [];
  return {
    update() {
      const { view, a, b } = pair.get();
      const { answer } = stores.difference.get();
      const now = [answer, view.cell, view.layer, view.head, view.batch, view.precision, a.question, b.question];
      if (now.every((each, at) => each === drawn[at]) && drawn.length) return;
      drawn = now;
      const { cell } = view;
      root.classList.toggle("pinned", Boolean(cell && answer));
      fill(root, cell && answer ? cellParts(pair, stores, cell) : guideParts(pair, stores));
    },
  };
}

/** @param {PairStore} pair @param {Stores} stores */
function guideParts(pair, stores) {
  const { t } = pair;
  const lines = GUIDE.map((key) => h("li", {}, t(`compare.guide.${key}`)));
  return [h("h2", {}, t("guide.title")), h("ul", { class: "guide" }, lines), firstDifferenceLink(pair, stores)];
}

/** @param {PairStore} pair @param {Stores} stores */
function firstDifferenceLink(pair, stores) {
  const { t, page } = pair;
  const { difference: store } = stores;
  const difference = differenceOf(page, pair.get());
  const measured = (/** @type {Stage} */ stage) => difference?.measure(stage, selection(store.get()));
  const apart = page.stages.find((stage) => showsStage(pair.get(), stage) && (measured(stage)?.max ?? 0) > 0);
  const measure = apart && measured(apart);
  if (!measure) return null;
  const cell = { stage: apart.name, row: measure.row, col: measure.col };
  const words = `${labelOf(stores.a, cell.stage)}, ${placeOf(store, store.get(), cell)}`;
  const link = h("button", { class: "link", onclick: () => setView(store, { cell }) }, words);
  return h("p", {}, `${t("compare.first")} `, link);
}

/** @param {PairStore} pair @param {Stores} stores @param {Cell} cell */
function cellParts(pair, stores, cell) {
  const { t } = pair;
  const { difference: store } = stores;
  const place = placeOf(store, store.get(), cell);
  const numbers = valuesOf(stores, cell);
  const close = t("inspector.close");
  const title = h("h2", {}, h("b", {}, labelOf(store, cell.stage)), h("span", { class: "place" }, place));
  const button = h("button", { class: "close", onclick: () => unpin(store), "aria-label": close, title: close }, "✕");
  const ways = SIDES.filter((name) => stores[name].get().view.cell).map((name) =>
    h("a", { class: "explain", href: explainAddress(pair, stores, name) }, t(`compare.explain.${name}`)),
  );
  return [
    firstDifferenceLink(pair, stores),
    h("header", {}, title, button),
    h(
      "dl",
      { class: "apart" },
      valueRows(
        NAMES.map((name) => ({
          of: name,
          label: [h("b", {}, t(`compare.${name}`)), name !== "difference" && ` ${placeIn(stores, name)}`],
          value: h("output", { translate: "no" }, numberOf(store, name, numbers[name])),
        })),
      ),
    ),
    h("p", { class: "ways" }, ways),
    origins(stores, cell),
  ];
}

/** @param {Stores} stores @param {"a" | "b"} name */
function placeIn(stores, name) {
  const state = stores[name].get();
  return state.view.cell ? placeOf(stores[name], state, state.view.cell) : stores[name].t("compare.nowhere");
}

/** @param {PairStore} pair @param {Stores} stores @param {"a" | "b"} name */
function explainAddress(pair, stores, name) {
  const { answer, view: seen } = stores[name].get();
  const cell = seen.cell && toPieces(pair.page, answer, seen.cell, seen);
  const view = { ...seen, cell, stage: null, table: false };
  const { question } = pair.get()[name];
  const here = new URL("/", location.href);
  here.search = new URLSearchParams(
    [...new URL(location.href).searchParams].filter(([key]) => key === "lang"),
  ).toString();
  return writeAddress({ question, view }, here, pair.page);
}

/** @param {Stores} stores @param {Cell} cell */
function origins(stores, cell) {
  const { difference: store } = stores;
  const { t } = store;
  const [, ...upstream] = largestDifferences(stores, cell);
  if (!upstream.length) return null;
  const columns = ["stage", ...NAMES].map((name) => t(`compare.${name === "difference" ? "delta" : name}`));
  const rows = upstream.map((each) => {
    const numbers = valuesOf(stores, each);
    const place = h("span", { class: "place" }, placeOf(store, store.get(), each));
    const press = () => togglePin(store, each);
    return {
      class: numbers.difference ? "" : "same",
      name: h("button", { class: "link", onclick: press }, labelOf(store, each.stage), place),
      cells: NAMES.map((name) => numberOf(store, name, numbers[name])),
    };
  });
  const table = dataTable({ caption: t("compare.origins"), columns: [columns], bodies: [rows] });
  return h("div", { class: "origins", role: "region", tabindex: "0", "aria-label": t("compare.origins") }, table);
}
