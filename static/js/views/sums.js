/** Where the picked tokens look, or who looks at them: bars, total and entropy. */

import { look, pin } from "../data/actions.js";
import { sumsOf, weightsSeen } from "../data/sums.js";
import { fill, h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { titleOf } from "./heading.js";
import { nameOf } from "./words.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/address.js").Picked} Picked */

const SHOWN = 16; // bars; more would hide the shape
const NAMED = 6; // tokens in the heading

/** @type {import("../data/state.js").ViewOf} */
export function sums(root, store) {
  const { t } = store;
  const [title, ways, bars] = [h("h2"), h("div"), h("div")];
  const close = h(
    "button",
    {
      class: "close",
      onclick: () => look(store, { picked: null }),
      "aria-label": t("picked.let_go"),
      title: t("picked.let_go"),
    },
    "✕",
  );
  const axes = /** @type {const} */ (["query", "key"]).map((axis) => {
    const input = h("input", { type: "radio", name: "picked", onchange: () => turn(axis) });
    return { axis, input, label: h("label", {}, input, t(`picked.${axis}`)) };
  });
  ways.className = "ways";
  ways.setAttribute("role", "radiogroup");
  ways.setAttribute("aria-label", t("picked.way"));
  ways.append(...axes.map(({ label }) => label));

  /** @param {"query" | "key"} axis */
  function turn(axis) {
    const { picked } = store.get().view;
    if (picked) look(store, { picked: { ...picked, axis } });
  }

  /** @param {State} state @param {Picked} picked */
  function draw(state, picked) {
    const seen = weightsSeen(store.page, state);
    if (!seen) return;
    if (!title.isConnected) fill(root, h("header", {}, title, close), ways, bars);
    const names = picked.at.slice(0, NAMED).map((at) => nameOf(state, picked.axis, at));
    const more = picked.at.length > NAMED ? "…" : "";
    fill(title, h("span", { class: `axis-${picked.axis}` }, names.join(" + ") + more));
    for (const { axis, input } of axes) input.checked = axis === picked.axis;
    ways.hidden = Boolean(state.answer?.reply.context_lengths); // a token is a query or a key, never both
    fill(bars, table(state, picked, sumsOf(seen, picked.axis, picked.at)));
  }

  /** @param {State} state @param {Picked} picked @param {import("../data/sums.js").Sums} found */
  function table(state, picked, { entries, total, entropy }) {
    const most = Math.max(...entries.map(({ weight }) => weight), 0) || 1;
    const many = entries.length > SHOWN;
    const shown = many ? entries.toSorted((a, b) => b.weight - a.weight).slice(0, SHOWN) : entries;
    const facts = [t("picked.total", { total: format(total, 2) }), t("picked.entropy", { h: format(entropy, 2) })];
    return h(
      "section",
      { class: `bars of-${picked.axis}` },
      h("h3", {}, titleOf(store, state), h("span", {}, facts.join(" · "))),
      picked.at.length > 1 && h("p", { class: "muted" }, t("picked.sum", { n: picked.at.length })),
      entries.length === 0 && h("p", { class: "muted" }, t("picked.nothing")),
      h("ol", {}, shown.map((entry) => h("li", {}, line(state, picked, entry, most)))),
      many && h("p", { class: "muted" }, t("picked.largest", { n: SHOWN, all: entries.length })),
    );
  }

  /** @param {State} state @param {Picked} picked @param {{at: number, weight: number}} entry @param {number} most */
  function line(state, { axis, at: tokens }, { at, weight }, most) {
    const bar = h("i", { class: "bar" });
    bar.style.width = `${(100 * weight) / most}%`;
    const name = nameOf(state, axis === "query" ? "key" : "query", at);
    const parts = [
      h("span", { class: "token", title: name }, name),
      h("span", { class: "track" }, bar),
      h("span", { class: "number" }, format(weight, state.view.precision)),
    ];
    if (tokens.length > 1) return h("div", {}, parts);
    const [row, col] = axis === "query" ? [tokens[0], at] : [at, tokens[0]];
    return h("button", { onclick: () => pin(store, { stage: "weights", row, col }) }, parts);
  }

  return {
    update(state, previous) {
      const { picked } = state.view;
      const same =
        state.view === previous.view && state.answer === previous.answer && state.every === previous.every;
      if (!picked) fill(root);
      else if (!same) draw(state, picked);
    },
    destroy: () => root.replaceChildren(),
  };
}
