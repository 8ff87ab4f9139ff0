import { stageOf } from "../core/page.js";
import { hasManyKeys, pictureOf } from "../core/picture.js";
import { togglePin } from "../core/pointing.js";
import { selection } from "../core/state.js";
import { windowsOf } from "../core/token-windows.js";
import { h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { isClosed, valueAt } from "../lib/paint.js";
import { nameOf } from "../matrix/names.js";

/**
 * Number of decimals of weights. With many keys, the largest weight gets at least two significant digits.
 * @param {Pick<State, "answer" | "view">} state @param {number} largest
 */
export function decimalsOf({ answer, view: { precision } }, largest) {
  if (!answer || !hasManyKeys({ cols: answer.reply.shape.m }) || largest < 0.5 * 10 ** -precision) return precision;
  return Math.max(precision, 1 - Math.floor(Math.log10(largest)));
}

const SHOWN = 16; // more bars would hide the shape

/** @param {Store} store @param {State} state @param {number} row */
export function rowBars(store, state, row) {
  const picture = state.answer && pictureOf(store.page, state.answer, stageOf(store.page, "weights"), selection(state));
  if (!picture || row >= picture.rows) return null;
  const { t } = store;
  if (picture.coarse && !picture.coarse.readLines("row", "query", [row]))
    return h("p", { class: "muted", "data-waits": "" }, t("row.waits"));
  const weights = Array.from({ length: picture.cols }, (_, col) => ({ col, weight: valueAt(picture, row, col) }));
  const open = weights.filter(({ col }) => !isClosed(picture, row, col));
  const entropy = open.reduce((sum, { weight }) => sum - (weight > 0 ? weight * Math.log(weight) : 0), 0);
  const largest = Math.max(...open.map(({ weight }) => weight), 0) || 1;
  const { range } = state.view;
  const decimals = decimalsOf(state, largest);
  const most = range === "fixed" || (range === "auto" && !hasManyKeys(picture)) ? 1 : largest;
  const shown = open.length > SHOWN ? open.toSorted((a, b) => b.weight - a.weight).slice(0, SHOWN) : open;
  const named = windowsOf(store);
  named.wantEach("bars", "key", [...shown.map(({ col }) => col), state.view.cell?.col ?? 0]);
  named.wantEach("bars", "query", [row]);
  const bars = shown.map(({ col, weight }) => {
    const bar = h("i", { class: "bar" });
    bar.style.width = `${(100 * weight) / most}%`;
    const here = state.view.cell?.col === col;
    const name = nameOf(state, "key", col);
    const press = () => here || togglePin(store, { stage: "weights", row, col });
    const parts = [
      h("span", { class: "token", translate: "no", title: name }, name),
      h("span", { class: "track" }, bar),
      h("span", { class: "number", translate: "no" }, format(weight, decimals)),
    ];
    return h("li", {}, h("button", { class: here ? "here" : "", onclick: press }, parts));
  });
  const title = t("row.title", { query: nameOf(state, "query", row) });
  return h(
    "section",
    { class: "bars" },
    h("h3", {}, title, h("span", {}, t("row.entropy", { h: entropy.toFixed(2) }))),
    h("ol", {}, bars),
    open.length > SHOWN && h("p", { class: "muted" }, t("row.largest", { n: SHOWN, all: open.length })),
  );
}
