import { stageOf } from "../core/page.js";
import { pictureOf } from "../core/picture.js";
import { bodyOf } from "../core/question.js";
import { selection } from "../core/state.js";
import { upstream } from "../core/upstream.js";
import { bothValues, differenceIn, valueIn, valueRows } from "../difference/cell-values.js";
import { signed } from "../difference/difference.js";
import { fill, h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { isClosed } from "../lib/paint.js";
import { placeOf } from "../matrix/cell-text.js";
import { labelOf } from "../matrix/names.js";

/** @typedef {"a" | "b" | "difference"} Name */
/** @typedef {Record<Name, Store>} Stores */

export const NAMES = /** @type {const} */ (["a", "b", "difference"]);

/** @param {Store} store @param {string} stage */
function pictureIn(store, stage) {
  const state = store.get();
  return state.answer && pictureOf(store.page, state.answer, signed(stageOf(store.page, stage)), selection(state));
}

/**
 * Values of a cell: null if masked, undefined if an answer lacks it.
 * @param {Stores} stores @param {Cell} cell
 */
export function valuesOf(stores, cell) {
  const state = stores.difference.get();
  const difference = differenceIn(state);
  const sides = difference ? bothValues(difference, cell, selection(state)) : { a: undefined, b: undefined };
  return { ...sides, difference: valueIn(pictureIn(stores.difference, cell.stage), cell) };
}

/** The cell, then the most different cell of each upstream region. @param {Stores} stores @param {Cell} cell */
export function largestDifferences(stores, cell) {
  const state = stores.difference.get();
  if (state.answer?.reply.merged) return [cell]; // upstream stages have tokens, not words
  const of = {
    head: state.view.head,
    d_v: state.answer?.reply.shape.d_v ?? 1,
    cross: Boolean(state.answer?.reply.context_lengths),
  };
  // A weight depends on all scores of its row.
  const row = cell.stage === "weights" ? [{ stage: "masked_scores", row: cell.row, col: null }] : [];
  const found = [...row, ...upstream(stores.difference.page, cell, of)].map((region) =>
    mostDifferentCell(stores.difference, region),
  );
  const seen = new Map(found.flatMap((each) => (each ? [[`${each.stage} ${each.row} ${each.col}`, each]] : [])));
  return [cell, ...seen.values()];
}

/** @param {Store} store @param {import("../core/upstream.js").Region} region */
function mostDifferentCell(store, { stage, row, col }) {
  const drawn = pictureIn(store, stage);
  if (!drawn) return null;
  /** @type {Cell | null} */
  let found = null;
  let most = -1;
  const range = (/** @type {number | null} */ one, /** @type {number} */ size) =>
    one === null ? Array.from({ length: size }, (_, at) => at) : one < size ? [one] : [];
  for (const i of range(row, drawn.rows))
    for (const j of range(col, drawn.cols)) {
      const size = isClosed(drawn, i, j) ? -0.5 : Math.abs(drawn.values[i * drawn.cols + j]);
      if (size > most) [found, most] = [{ stage, row: i, col: j }, size];
    }
  return found;
}

/** @import {Comparison, PairStore} from "./pair.js" */

/** @type {Record<string, (question: any) => object>} */
const CHANGES = {
  seed: ({ model }) => ({ model: { ...model, seed: (model.seed ?? 0) + 1 } }),
  mask: () => ({ causal: false }),
  scale: () => ({ scale: "none" }),
  temperature: () => ({ temperature: 2 }),
};

/** @param {HTMLElement} root @param {PairStore} store @param {Stores} stores */
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
 * @param {Store} store @param {Name} name
 * @param {number | null | undefined} value
 */
export function numberOf({ t, get }, name, value) {
  if (value === undefined || (value === null && name === "difference")) return "–";
  if (value === null) return t("legend.masked");
  return (name === "difference" && value > 0 ? "+" : "") + format(value, get().view.precision);
}
