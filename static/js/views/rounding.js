/** What rounding costs: the error of every stage in every precision, and the softmax without its maximum. */

import { ask, look } from "../data/actions.js";
import { rowSeen, scoresOf } from "../data/laboratory.js";
import { TICKS, breakingScale, reachOf } from "../data/rounding.js";
import { told, wanting } from "../data/told.js";
import { fill, h } from "../lib/dom.js";
import { format, power } from "../lib/numbers.js";
import { s } from "../lib/shapes.js";
import { choice } from "./choices.js";
import { labelOf, nameOf } from "./words.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/rounding.js").Precision} Precision */
/** @typedef {import("../data/rounding.js").Rounded} Rounded */
/** @typedef {import("../data/rounding.js").Softmax} Softmax */

const SHOWN = 16; // keys of a row

/** @param {string} name @param {number} [span] */
const column = (name, span) => h("th", { scope: span ? "colgroup" : "col", colspan: span }, name);

/** @type {import("../data/state.js").ViewOf} */
export function rounding(root, store) {
  const { t } = store;
  const trouble = h("p", { class: "error", role: "status" });
  const errors = h("div", { class: "sheet", tabindex: "0" });
  const [title, verdict] = [h("h3"), h("p", { class: "effect", role: "status" })];
  const both = h("div", { class: "sheet", tabindex: "0" });
  const dtype = choice((name) => look(store, { rounding: /** @type {any} */ (name) }));
  fill(dtype, store.page.choices.dtype.map((name) => h("option", {}, name)));
  const press = h("button", { class: "button", onclick: turn });
  const [shares, stages] = [h("section", { class: "card softmaxes" }), h("section", { class: "card" })];
  stages.append(h("header", {}, h("h3", {}, t("lab.errors"))), h("p", { class: "muted" }, t("lab.errors_about")), errors);
  shares.append(
    h("header", {}, title),
    h("div", { class: "choices" }, h("label", { class: "field" }, h("span", {}, t("field.dtype")), dtype), press),
    both,
    verdict,
  );
  root.classList.add("beside", "rounding");
  root.append(trouble, shares, stages);
  /** @type {Precision | null} */
  let found = null;
  /** @type {import("../data/question.js").Question["scale"] | null} */
  let before = null; // the scale that was, to go back to
  const want = wanting(
    (/** @type {Precision} */ reply) => {
      found = reply;
      fill(trouble);
      show(store.get());
    },
    (problem) => fill(trouble, problem.message || t("problem.offline")),
  );

  /** Whether the naive softmax of the row breaks down in every precision. */
  const broken = () => Boolean(found?.dtypes.every(({ softmax }) => softmax.naive.weights.includes(null)));

  function turn() {
    const state = store.get();
    const back = broken();
    if (!back) before = state.question.scale;
    ask(store, "scale", back ? (before ?? "sqrt_d_k") : breakingScale(store.page, state));
    if (back) before = null;
  }

  /** @param {State} state */
  function show(state) {
    if (!found) return;
    const name = state.view.rounding ?? state.answer?.reply.dtype;
    const chosen = /** @type {Rounded} */ (found.dtypes.find((each) => each.dtype === name) ?? found.dtypes[0]);
    dtype.value = chosen.dtype;
    press.textContent = t(broken() ? "lab.back" : "lab.break");
    title.textContent = t("lab.softmax", { query: nameOf(state, "query", found.row), dtype: chosen.dtype });
    fill(errors, errorTable(found, chosen.dtype));
    fill(both, softmaxTable(state, found.row, chosen));
    const { naive, stable } = chosen.softmax;
    const fine = naive.nan_rows === 0 && naive.overflowed === 0;
    const told = { overflowed: naive.overflowed, rows: naive.nan_rows, error: written(stable.largest_error), naive: written(naive.largest_error) };
    verdict.textContent = t(fine ? "lab.fine" : "lab.broken", told);
  }

  /** @param {Precision} told @param {string} chosen */
  function errorTable({ dtypes }, chosen) {
    const cells = (/** @type {(each: Rounded) => HTMLElement} */ cell) =>
      dtypes.map((each) => {
        const made = cell(each);
        made.classList.toggle("chosen", each.dtype === chosen);
        return made;
      });
    const stages = dtypes[0].stages.map(({ stage }, at) =>
      h("tr", {}, h("th", { scope: "row" }, labelOf(store, stage)), cells(({ stages }) => errorCell(stages[at].largest, stages[at].non_finite, "lab.non_finite"))),
    );
    const ways = /** @type {const} */ (["naive", "stable"]).map((way) =>
      h("tr", { class: "way" }, h("th", { scope: "row" }, t(way === "naive" ? "lab.naive" : "lab.stable")), cells(({ softmax }) => errorCell(softmax[way].largest_error, softmax[way].overflowed, "lab.overflows"))),
    );
    const names = h("tr", {}, h("td"), dtypes.map((each) => column(each.dtype)));
    const axes = h("tr", { class: "powers", "aria-hidden": "true" }, h("td"), dtypes.map(() => h("td", {}, axis())));
    return h("table", {}, h("thead", {}, names, axes), h("tbody", {}, stages), h("tbody", {}, ways));
  }

  /** @param {number | null} error @param {number} bad cells @param {string} key that says what they are */
  function errorCell(error, bad, key) {
    const bar = h("i");
    bar.style.width = `${100 * reachOf(error)}%`;
    return h("td", { class: error === null ? "bad" : "" }, h("span", {}, error === null ? "∞" : written(error)), h("span", { class: "reach" }, bar), bad > 0 && h("small", {}, t(key, { n: bad })));
  }

  /** @param {State} state @param {number} row @param {Rounded} chosen */
  function softmaxTable(state, row, { softmax: { naive, stable } }) {
    const all = scoresOf(store.page, state, row);
    const many = all.length > SHOWN;
    const keys = many ? all.toSorted((a, b) => b.masked - a.masked).slice(0, SHOWN) : all;
    const lines = keys.map(({ col, masked }) =>
      h(
        "tr",
        { class: masked === -Infinity ? "shut" : "" },
        h("th", { scope: "row" }, nameOf(state, "key", col)),
        h("td", {}, format(masked, state.view.precision)),
        numbers(naive, col, state),
        numbers(stable, col, state),
      ),
    );
    const steps = [column("exp s"), column("a"), column("exp(s − max)"), column("a")];
    return [
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, h("td"), h("td"), column(t("lab.naive"), 2), column(t("lab.stable"), 2)), h("tr", {}, column(t("axis.key")), column("s"), steps)),
        h("tbody", {}, lines),
      ),
      many && h("p", { class: "muted" }, t("row.largest", { n: SHOWN, all: all.length })),
    ];
  }

  /** A null exponential is infinite, a null weight no number. @param {Softmax} way @param {number} col @param {State} state */
  function numbers({ exponentials, weights }, col, { view: { precision } }) {
    const cell = (/** @type {number | null} */ value, /** @type {string} */ otherwise) =>
      h("td", { class: value === null ? "bad" : "" }, value === null ? otherwise : format(value, precision));
    return [cell(exponentials[col], "∞"), cell(weights[col], "NaN")];
  }

  return {
    update(state) {
      const { answer, attempt, view: { layer, head, batch } } = state;
      if (!answer) return;
      const place = { layer, head, batch, row: rowSeen(store.page, state) };
      want(JSON.stringify([attempt, answer.reply.trace, place]), () => told(state, "precision", place));
      show(state);
    },
    destroy: () => root.replaceChildren(),
  };
}

/** The powers of ten along a bar. */
const axis = () =>
  s(
    "svg",
    { width: "100%", height: 11 },
    TICKS.map((tick, at) => s("text", { x: `${100 * reachOf(tick)}%`, y: 9, "text-anchor": ["start", "middle", "end"][at] }, tick === 1 ? "1" : power(tick))),
  );

/** @param {number | null} error */
const written = (error) => (error === null ? "NaN" : error === 0 ? "0" : format(error, error < 0.05 ? 1 : 2));
