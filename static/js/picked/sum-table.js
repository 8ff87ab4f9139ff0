import { pin } from "../core/pointing.js";
import { titleOf } from "../core/combined-heading.js";
import { titleWithout } from "../matrix/left-out.js";
import { h } from "../lib/dom.js";
import { largest } from "../lib/largest.js";
import { format } from "../lib/numbers.js";
import { nameOf } from "../matrix/names.js";

/** @typedef {import("../core/weight-sums.js").Sums} Sums */

const SHOWN = 16;

/** @param {Store} store @param {State} state @param {Picked} picked @param {Sums} sums */
export function sumTable(store, state, picked, { entries, total, entropy }) {
  const { t } = store;
  const most = Math.max(...entries.map(({ weight }) => weight), 0) || 1;
  const shown = largest(entries, SHOWN, ({ weight }) => weight);
  const lines = shown.map((entry) => h("li", {}, line(store, state, picked, entry, most)));
  const facts = [t("picked.total", { total: format(total, 2) }), t("picked.entropy", { h: format(entropy, 2) })];
  return h(
    "section",
    { class: `bars of-${picked.axis}` },
    h("h3", {}, titleWithout(store, state, titleOf(store, state)), h("span", {}, facts.join(" · "))),
    picked.at.length > 1 && h("p", { class: "muted" }, t("picked.sum", { n: picked.at.length })),
    entries.length === 0 && h("p", { class: "muted" }, t("picked.nothing")),
    h("ol", {}, lines),
    shown.length < entries.length && h("p", { class: "muted" }, t("picked.largest", { n: SHOWN, all: entries.length })),
  );
}

/**
 * @param {Store} store @param {State} state @param {Picked} picked @param {Sums["entries"][0]} entry
 * @param {number} most sum that fills the bar
 */
function line(store, state, { axis, at: tokens }, { at, weight }, most) {
  const bar = h("i", { class: "bar" });
  bar.style.width = `${(100 * weight) / most}%`;
  const name = nameOf(state, axis === "query" ? "key" : "query", at);
  const parts = [
    h("span", { class: "token", translate: "no", title: name }, name),
    h("span", { class: "track" }, bar),
    h("span", { class: "number", translate: "no" }, format(weight, state.view.precision)),
  ];
  if (tokens.length > 1) return h("div", {}, parts);
  const [row, col] = axis === "query" ? [tokens[0], at] : [at, tokens[0]];
  return h("button", { onclick: () => pin(store, { stage: "weights", row, col }) }, parts);
}
