/** Why scores are divided by √d_k: random queries and keys beside the reader's own head. */

import { nearest, random, rowSeen, spansOf, weightsAt } from "../data/laboratory.js";
import { told, wanting } from "../data/told.js";
import { fill, h } from "../lib/dom.js";
import { format, short } from "../lib/numbers.js";
import { Board } from "./board.js";
import { nameOf } from "./words.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/laboratory.js").Random} Random */
/** @typedef {import("../data/laboratory.js").Own} Own */
/** @typedef {import("../data/laboratory.js").Figures} Figures */

const WIDTH_TICKS = [1, 4, 16, 64, 256, 1024];
const FACTOR_TICKS = [1 / 64, 1 / 8, 1, 8, 64];
const SHOWN = 16; // bars; more would hide the shape

/** @param {number} factor */
const times = (factor) => (factor < 1 && Number.isInteger(1 / factor) ? `× 1/${1 / factor}` : `× ${short(factor, 3)}`);
/** @param {number} width */
const counted = (width) => width.toLocaleString("en");

/** @type {import("../data/state.js").ViewOf} */
export function scaling(root, store) {
  const { t } = store;
  const trouble = h("p", { class: "error", role: "status" });
  const [drawn, own] = [h("section", { class: "card" }), h("section", { class: "card" })];
  const [about, effect, title, saying] = [h("p", { class: "muted" }), h("p", { class: "effect" }), h("h3"), h("p", { class: "effect" })];
  const row = h("section", { class: "card row-weights" });
  root.classList.add("beside");
  root.append(trouble, drawn, own, row);
  drawn.append(h("header", {}, h("h3", {}, t("lab.random"))), about);
  own.append(h("header", {}, title), h("p", { class: "muted" }, t("lab.own_about")));
  const boards = {
    random: new Board(drawn, store, "lab.d_k", (at) => choose({ width: places().widths[at] }), () => redraw()),
    own: new Board(own, store, "lab.factor", (at) => choose({ factor: places().factors[at] }), () => redraw()),
  };
  drawn.append(effect);
  own.append(saying);
  /** @type {{random: Random | null, own: Own | null}} */
  const found = { random: null, own: null };
  const fail = (/** @type {Error} */ problem) => fill(trouble, problem.message || t("problem.offline"));
  const wantRandom = wanting((/** @type {Random} */ reply) => take({ random: reply }), fail);
  const wantOwn = wanting((/** @type {Own} */ reply) => take({ own: reply }), fail);

  /** @param {Partial<typeof found>} reply */
  function take(reply) {
    Object.assign(found, reply);
    fill(trouble);
    show(store.get());
  }

  function places() {
    const widths = (found.random?.widths ?? []).filter(({ scaled }) => scaled).map(({ d_k }) => d_k);
    return { widths, factors: found.own?.factors.map(({ factor }) => factor) ?? [] };
  }

  /** @param {Partial<State["view"]>} patch */
  function choose(patch) {
    store.set({ view: { ...store.get().view, ...patch } }, { replace: true });
  }

  /** @param {State} state */
  function show(state) {
    if (!found.random || !found.own) return;
    const { widths, uniform, n, samples } = found.random;
    const { factors, d_k } = found.own;
    const { view } = state;
    const known = places();
    const spans = spansOf([uniform, ...widths, ...factors].map((each) => ("figures" in each ? each.figures : each)));
    const shared = { spans, table: view.table, precision: view.precision };
    const lineOf = (/** @type {boolean} */ scaled) => widths.filter((each) => each.scaled === scaled).map(({ figures }) => figures);
    const unscaled = factors.find((each) => each.unscaled && each.factor !== 1);
    about.textContent = t("lab.random_about", { samples, n });
    title.textContent = t("lab.own", view);
    boards.random.show({
      ...shared,
      places: known.widths,
      text: counted,
      ticks: WIDTH_TICKS,
      lines: [
        { name: "without", label: t("lab.without"), figures: lineOf(false) },
        { name: "with", label: t("lab.with"), figures: lineOf(true) },
      ],
      level: uniform,
      marks: [],
      at: nearest(known.widths, view.width ?? d_k),
    });
    boards.own.show({
      ...shared,
      places: known.factors,
      text: times,
      ticks: FACTOR_TICKS,
      lines: [{ name: "own", label: "", figures: factors.map(({ figures }) => figures) }],
      level: null,
      marks: [{ at: 1, name: "now", text: t("lab.now") }, ...(unscaled ? [{ at: unscaled.factor, name: "without", text: t("lab.without") }] : [])],
      at: nearest(known.factors, view.factor ?? 1),
    });
    redraw();
  }

  function redraw() {
    if (!found.random || !found.own) return;
    for (const board of Object.values(boards)) board.draw();
    const d_k = places().widths[boards.random.at];
    const [plain, divided] = [false, true].map(
      (scaled) => /** @type {Random} */ (found.random).widths.find((each) => each.d_k === d_k && each.scaled === scaled)?.figures,
    );
    effect.textContent = compared("lab.random_effect", { d_k: counted(d_k) }, plain, divided);
    const { factors } = found.own;
    const at = factors[boards.own.at];
    const present = factors.find(({ factor }) => factor === 1);
    const factor = times(at.factor);
    const mean = format(at.figures.largest, 2);
    saying.textContent = at.factor === 1 ? t("lab.own_now", { scale: short(at.scale, 5), largest: mean }) : compared("lab.own_effect", { factor, scale: short(at.scale, 5) }, at.figures, present?.figures);
    bars(store.get(), at.factor);
  }

  /** @param {string} key @param {Record<string, string>} values @param {Figures} [figures] @param {Figures} [usual] */
  function compared(key, values, figures, usual) {
    const share = (figures?.jacobian ?? NaN) / (usual?.jacobian ?? NaN);
    if (!figures || !Number.isFinite(share) || figures.largest === null) return t("lab.overflowed");
    return t(key, { ...values, largest: format(figures.largest, 2), share: format(100 * share, 1) });
  }

  /** @param {State} state @param {number} factor */
  function bars(state, factor) {
    const query = rowSeen(store.page, state);
    const [now, then] = [1, factor].map((each) => weightsAt(store.page, state, query, each));
    const pairs = then.map((each, at) => ({ ...each, before: now[at].weight }));
    const many = pairs.length > SHOWN;
    const shown = many ? pairs.toSorted((a, b) => b.before - a.before).slice(0, SHOWN) : pairs;
    const line = (/** @type {typeof pairs[0]} */ { col, weight, before }) => {
      const [bar, tick] = [h("i", { class: "share" }), h("i", { class: "was" })];
      bar.style.width = `${100 * weight}%`;
      tick.style.left = `${100 * before}%`;
      const name = nameOf(state, "key", col);
      return h("li", {}, h("span", { class: "token", title: name }, name), h("span", { class: "track" }, bar, tick), h("span", { class: "number" }, format(weight, state.view.precision)));
    };
    fill(
      row,
      h("h3", {}, t("lab.row", { query: nameOf(state, "query", query), factor: times(factor) })),
      h("ol", {}, shown.map(line)),
      pairs.length === 0 && h("p", { class: "muted" }, t("lab.nothing")),
      many && h("p", { class: "muted" }, t("row.largest", { n: SHOWN, all: pairs.length })),
    );
  }

  return {
    update(state) {
      const { answer, attempt, view: { layer, head, batch } } = state;
      if (!answer) return;
      const place = { layer, head, batch };
      wantRandom(`${attempt} ${answer.reply.shape.m}`, () => random(state));
      wantOwn(JSON.stringify([attempt, answer.reply.trace, place]), () => told(state, "scaling", place));
      show(state);
    },
    destroy() {
      for (const board of Object.values(boards)) board.destroy();
      root.replaceChildren();
    },
  };
}
