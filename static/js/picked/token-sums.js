import { setView } from "../core/actions.js";
import { answerKey } from "../core/trace-replies.js";
import { sumsOf, weightsSeen } from "../core/weight-sums.js";
import { MOST_LINES } from "../lib/quantized.js";
import { fill, h } from "../lib/dom.js";
import { nameOf } from "../matrix/names.js";
import { sumTable } from "./sum-table.js";

const SEEN = /** @type {const} */ (["view", "answer", "every", "named"]);
const NAMED = 6;

/** @type {ViewOf} */
export function sums(root, store) {
  const [title, bars] = [h("h2"), h("div")];
  const header = h("header", {}, title, letGoButton(store));
  const ways = new Ways(store);

  /** @param {State} state @param {Picked} picked */
  function draw(state, picked) {
    const seen = weightsSeen(store.page, state);
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

/** Message while sums are pending, or for too many tokens. @param {Store} store @param {number} n */
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
