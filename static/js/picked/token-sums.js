import { setView } from "../core/actions.js";
import { titleOf } from "../core/combined-heads.js";
import { togglePin } from "../core/pointing.js";
import { answerKey } from "../core/traces.js";
import { sumsOf, weightsInView } from "../core/weight-sums.js";
import { h, fill } from "../lib/dom.js";
import { largest } from "../lib/largest.js";
import { format } from "../lib/numbers.js";
import { MOST_LINES } from "../lib/quantized.js";
import { titleWithout } from "../matrix/left-out.js";
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
  return h("button", { onclick: () => togglePin(store, { stage: "weights", row, col }) }, parts);
}

const SEEN = /** @type {const} */ (["view", "answer", "every", "named"]);
const NAMED = 6;

/** @type {ViewOf} */
export function sums(root, store) {
  const [title, bars] = [h("h2"), h("div")];
  const header = h("header", {}, title, letGoButton(store));
  const ways = new Ways(store);

  /** @param {State} state @param {Picked} picked */
  function draw(state, picked) {
    const seen = weightsInView(store.page, state);
    if (!seen) return;
    root.dataset.trace = answerKey(state);
    if (!header.isConnected) fill(root, header, ways.root, bars);
    fill(title, heading(store, state, picked));
    ways.show(state, picked);
    const sums = sumsOf(seen, picked.axis, picked.at, "picked");
    fill(bars, sums ? sumTable(store, state, picked, sums) : waiting(store, picked.at.length));
  }

  return {
    update(state, previous) {
      const { picked } = state.view;
      const same = SEEN.every((name) => state[name] === previous?.[name]);
      const came = state.exact !== previous?.exact && root.querySelector("[data-waits]");
      if (!picked) fill(root);
      else if (!same || came) draw(state, picked);
    },
    destroy: () => root.replaceChildren(),
  };
}

/** @param {Store} store */
function letGoButton(store) {
  const name = store.t("picked.let_go");
  const press = () => setView(store, { picked: null });
  return h("button", { class: "close", onclick: press, "aria-label": name, title: name }, "✕");
}

/** @param {Store} store @param {number} n */
function waiting({ t }, n) {
  const many = n > MOST_LINES;
  return h("p", { class: "muted", "data-waits": "" }, t(many ? "picked.too_many" : "row.waits", { n: MOST_LINES }));
}

/** @param {Store} store @param {State} state @param {Picked} picked */
function heading(store, state, { axis, at }) {
  const names = at.slice(0, NAMED).map((each) => nameOf(state, axis, each));
  return h("span", { class: `axis-${axis}` }, names.join(" + ") + (at.length > NAMED ? "…" : ""));
}

class Ways {
  /** @param {Store} store */
  constructor(store) {
    this.axes = /** @type {const} */ (["query", "key"]).map((axis) => {
      const input = h("input", { type: "radio", name: "picked", onchange: () => turn(store, axis) });
      return { axis, input, label: h("label", {}, input, store.t(`picked.${axis}`)) };
    });
    const labels = this.axes.map(({ label }) => label);
    this.root = h("div", { class: "ways", role: "radiogroup", "aria-label": store.t("picked.way") }, labels);
  }

  /** @param {State} state @param {Picked} picked */
  show({ answer }, picked) {
    for (const { axis, input } of this.axes) input.checked = axis === picked.axis;
    this.root.hidden = Boolean(answer?.reply.context_lengths); // tokens of two texts are never both query and key
  }
}

/** @param {Store} store @param {"query" | "key"} axis */
function turn(store, axis) {
  const { picked } = store.get().view;
  if (picked) setView(store, { picked: { ...picked, axis } });
}
