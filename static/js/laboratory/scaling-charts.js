/** Charts show why attention divides scores by √d_k. */

import { setView } from "../core/actions.js";
import { answerKey, fetchPart, keyedRequest } from "../core/traces.js";
import { refusal } from "../core/refusal-words.js";
import { fill, h } from "../lib/dom.js";
import { format, short } from "../lib/numbers.js";
import { Board } from "./chart-board.js";
import { nearest, fetchRandom, spansOf, rescaledBars } from "./scaling-measures.js";

/** @import {Random, Own, Figures} from "./scaling-measures.js" */

const WIDTH_TICKS = [1, 4, 16, 64, 256, 1024];
const FACTOR_TICKS = [1 / 64, 1 / 8, 1, 8, 64];

/** @param {number} factor */
const times = (factor) => (factor < 1 && Number.isInteger(1 / factor) ? `× 1/${1 / factor}` : `× ${short(factor, 3)}`);
/** @param {number} width */
const formatWidth = (width) => width.toLocaleString("en");

/** @type {ViewOf} */
export const scaling = (root, store) => new Scaling(root, store);

class Scaling {
  /** @type {Random | null} */
  random = null;
  /** @type {Own | null} */
  own = null;

  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    const { t } = store;
    this.root = root;
    this.store = store;
    this.trouble = h("p", { class: "error", role: "status" });
    this.about = h("p", { class: "muted" });
    this.title = h("h3");
    this.effects = { random: h("p", { class: "effect" }), own: h("p", { class: "effect" }) };
    this.row = h("section", { class: "card row-weights" });
    const drawn = h("section", { class: "card" }, h("header", {}, h("h3", {}, t("lab.random"))), this.about);
    const about = h("p", { class: "muted" }, t("lab.own_about"));
    const own = h("section", { class: "card" }, h("header", {}, this.title), about);
    this.boards = {
      random: this.board(drawn, "lab.d_k", (at) => ({ width: this.widths[at] })),
      own: this.board(own, "lab.factor", (at) => ({ factor: this.factors[at] })),
    };
    drawn.append(this.effects.random);
    own.append(this.effects.own);
    root.classList.add("beside");
    root.append(this.trouble, drawn, own, this.row);
    const fail = (/** @type {Problem} */ problem) => fill(this.trouble, refusal(store, problem));
    const failOwn = (/** @type {Problem} */ problem) => {
      this.own = null;
      own.hidden = this.row.hidden = true;
      fail(problem);
    };
    const takeOwn = (/** @type {Own} */ found) => {
      own.hidden = this.row.hidden = false;
      this.take({ own: found });
    };
    this.wantRandom = keyedRequest((/** @type {Random} */ random) => this.take({ random }), fail, drawn);
    this.wantOwn = keyedRequest(takeOwn, failOwn, own, this.row);
  }

  /** @param {HTMLElement} root @param {string} across @param {(at: number) => Partial<State["view"]>} placeAt */
  board(root, across, placeAt) {
    const { store } = this;
    const choose = (/** @type {number} */ at) => setView(store, placeAt(at), { replace: true });
    return new Board(root, store, across, choose, () => this.redraw());
  }

  get widths() {
    return (this.random?.widths ?? []).filter(({ scaled }) => scaled).map(({ d_k }) => d_k);
  }

  get factors() {
    return this.own?.factors.map(({ factor }) => factor) ?? [];
  }

  /** @param {State} state */
  update(state) {
    const { answer, attempt, view } = state;
    if (!answer) return;
    const { layer, head, batch } = view;
    const place = { layer, head, batch };
    const { trace } = answer.reply;
    this.wantRandom(`${attempt} ${trace}`, () => fetchRandom(this.store.page, state), trace);
    const key = JSON.stringify([attempt, trace, place]);
    this.wantOwn(key, () => fetchPart(state, "scaling", place), answerKey(state));
    this.show(state);
  }

  destroy() {
    for (const board of Object.values(this.boards)) board.destroy();
    this.root.replaceChildren();
  }

  /** @param {{random?: Random, own?: Own}} reply */
  take(reply) {
    Object.assign(this, reply);
    fill(this.trouble);
    this.show(this.store.get());
  }

  /** @param {State} state */
  show({ view }) {
    const { random: drawn, own, store } = this;
    if (!drawn || !own) return;
    const { uniform, n, samples } = drawn;
    const spans = spansOf([uniform, ...[...drawn.widths, ...own.factors].map(({ figures }) => figures)]);
    const shared = { spans, table: view.table, precision: view.precision };
    this.about.textContent = store.t("lab.random_about", { samples, n });
    this.title.textContent = store.t("lab.own", view);
    this.boards.random.show({ ...shared, ...this.randomLines(drawn), at: nearest(this.widths, view.width ?? own.d_k) });
    this.boards.own.show({ ...shared, ...this.ownLines(own), at: nearest(this.factors, view.factor ?? 1) });
    this.redraw();
  }

  /** @param {Random} drawn */
  randomLines({ widths, uniform }) {
    const { t } = this.store;
    const lineOf = (/** @type {boolean} */ scaled) =>
      widths.filter((each) => each.scaled === scaled).map(({ figures }) => figures);
    return {
      places: this.widths,
      text: formatWidth,
      ticks: WIDTH_TICKS,
      lines: [
        { name: "without", label: t("lab.without"), figures: lineOf(false) },
        { name: "with", label: t("lab.with"), figures: lineOf(true) },
      ],
      level: uniform,
      marks: [],
    };
  }

  /** @param {Own} own */
  ownLines({ factors }) {
    const { t } = this.store;
    const unscaled = factors.find((each) => each.unscaled && each.factor !== 1);
    const now = { at: 1, name: "now", text: t("lab.now") };
    return {
      places: this.factors,
      text: times,
      ticks: FACTOR_TICKS,
      lines: [{ name: "own", label: "", figures: factors.map(({ figures }) => figures) }],
      level: null,
      marks: unscaled ? [now, { at: unscaled.factor, name: "without", text: t("lab.without") }] : [now],
    };
  }

  redraw() {
    const { random: drawn, own, store } = this;
    if (!drawn || !own) return;
    for (const board of Object.values(this.boards)) board.draw();
    const at = own.factors[this.boards.own.at];
    this.effects.random.textContent = effectOfWidth(store, drawn, this.widths[this.boards.random.at]);
    this.effects.own.textContent = effectOfFactor(store, own, at);
    fill(this.row, rescaledBars(store, store.get(), at.factor, times(at.factor)));
  }
}

/** @param {Store} store @param {Random} drawn @param {number} d_k */
function effectOfWidth(store, { widths }, d_k) {
  const [plain, divided] = [false, true].map(
    (scaled) => widths.find((each) => each.d_k === d_k && each.scaled === scaled)?.figures,
  );
  return comparisonText(store, "lab.random_effect", { d_k: formatWidth(d_k) }, plain, divided);
}

/** @param {Store} store @param {Own} own @param {Own["factors"][0]} at */
function effectOfFactor(store, { factors }, at) {
  if (at.scale === null) return store.t("lab.overflowed");
  const scale = short(at.scale, 5);
  if (at.factor === 1) return store.t("lab.own_now", { scale, largest: format(at.figures.largest, 2) });
  const present = factors.find(({ factor }) => factor === 1);
  return comparisonText(store, "lab.own_effect", { factor: times(at.factor), scale }, at.figures, present?.figures);
}

/** @param {Store} store @param {string} key @param {Record<string, string>} values @param {Figures} [figures] @param {Figures} [usual] */
function comparisonText({ t }, key, values, figures, usual) {
  const share = (figures?.jacobian ?? NaN) / (usual?.jacobian ?? NaN);
  if (!figures || !Number.isFinite(share) || figures.largest === null) return t("lab.overflowed");
  return t(key, { ...values, largest: format(figures.largest, 2), share: format(100 * share, 1) });
}
