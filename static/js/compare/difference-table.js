import { showsStage } from "./pair.js";
import { differenceIn } from "../difference/cell-values.js";
import { setView } from "../core/actions.js";
import { selection } from "../core/state.js";
import { dataTable } from "../lib/data-table.js";
import { fill, h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { labelOf } from "../matrix/names.js";
import { placeOf } from "../matrix/cell-text.js";

/** @import {Difference, Measure} from "../difference/difference.js" */

const COLUMNS = ["stage", "max", "where", "mean"];
const DRAWN_FIELDS = /** @type {const} */ (["batch", "layer", "head", "precision"]); // fields that change the numbers

export class DifferenceTable {
  /** @param {HTMLElement} root @param {import("./pair.js").PairStore} pair @param {Store} store */
  constructor(root, pair, store) {
    this.root = root;
    this.pair = pair;
    this.store = store;
    /** @type {State | null} */
    this.drawn = null;
  }

  update() {
    const state = this.store.get();
    this.root.hidden = !this.isShown(this.store.page.stages[0]);
    if (this.drawn && isSame(state, this.drawn)) return;
    this.drawn = state;
    fill(this.root, this.table(state));
  }

  /** @param {Stage} stage */
  isShown(stage) {
    return showsStage(this.pair.get(), stage);
  }

  /** @param {State} state */
  table(state) {
    const { t, page } = this.store;
    const stages = page.stages.filter((stage) => this.isShown(stage));
    return dataTable({
      caption: t("compare.table"),
      captionClass: "hidden",
      columns: [COLUMNS.map((name) => t(`compare.${name}`))],
      bodies: [stages.flatMap((stage) => this.line(state, stage) ?? [])],
    });
  }

  /**
   * @param {State} state @param {Stage} stage
   * @returns {Table.Row | null}
   */
  line(state, stage) {
    const difference = differenceIn(state);
    const measure = difference?.measure(stage, selection(state));
    if (!measure) return null;
    const { max, mean, cells } = measure;
    const number = (/** @type {number} */ value) => (cells ? format(value, state.view.precision) : "–");
    const share = max / (largestPossible(difference, stage, state) || 1);
    return {
      class: isDifferent(measure) ? "" : "same",
      name: h("a", { href: `#stage-${stage.name}`, onclick: scrollToStage }, labelOf(this.store, stage.name)),
      cells: [
        h("td", { class: "max" }, bar(share), number(max)),
        this.largestDifferenceLink(state, stage, measure),
        h("td", { class: "mean" }, number(mean)),
      ],
    };
  }

  /** @param {State} state @param {Stage} stage @param {Measure} measure */
  largestDifferenceLink(state, stage, measure) {
    const { store } = this;
    if (!isDifferent(measure)) return store.t(measure.cells ? "compare.same" : "compare.nothing");
    const cell = { stage: stage.name, row: measure.row, col: measure.col };
    const pin = () => setView(store, { cell });
    return h("button", { type: "button", class: "link", onclick: pin }, placeOf(store, state, cell));
  }
}

/** @param {State} state @param {State} drawn */
const isSame = (state, drawn) =>
  state.answer === drawn.answer && DRAWN_FIELDS.every((key) => state.view[key] === drawn.view[key]);

/** @param {Measure} measure */
const isDifferent = ({ cells, max }) => cells > 0 && max > 0;

/** @param {number} share */
function bar(share) {
  const inner = h("i", { class: "bar" });
  inner.style.width = `${Math.min(100, 100 * share)}%`;
  return h("span", { class: "track" }, inner);
}

/** @param {Difference | null} difference @param {Stage} stage @param {State} state */
function largestPossible(difference, stage, state) {
  const spanned = /** @type {import("../core/picture.js").Spanned | undefined} */ (difference?.sides.a);
  if (stage.kind === "weights") return 1;
  return 2 * (spanned?.extent?.(stage, selection(state)).size ?? 0);
}

/** Scrolls without changing the hash, which may hold matrices. @param {Event} event */
function scrollToStage(event) {
  event.preventDefault();
  const link = /** @type {HTMLAnchorElement} */ (event.currentTarget);
  const target = document.getElementById(link.hash.slice(1));
  target?.scrollIntoView({ block: "start" });
  /** @type {HTMLElement | null | undefined} */ (target?.querySelector("figure:last-child .plot"))?.focus({
    preventScroll: true,
  });
}
