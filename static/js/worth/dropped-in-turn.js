/** Each head dropped in turn: how far that moves the log-probability, and what it means for the selected head. */

import { look } from "../core/actions.js";
import { ask } from "../core/question-changes.js";
import { nameOf } from "../core/head-names.js";
import { isDropped } from "../core/dropped-head.js";
import { fill, h } from "../lib/dom.js";
import { fixed } from "../lib/numbers.js";
import { percent } from "../lib/percent.js";
import { headName } from "../matrix/names.js";
import { barIn } from "./bar.js";
import { scaleOf } from "./waterfall.js";

/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Store} Store */
/** @typedef {import("../core/state.js").Metrics} Metrics */
/** @typedef {import("../core/trace-replies.js").Ablations} Ablations */

/**
 * @param {HTMLElement} root
 * @param {Store} store
 * @param {State} state
 * @param {Ablations} told
 * @param {Metrics[]} metrics of every head; empty where there are none
 */
export function droppedInTurn(root, store, state, told, metrics) {
  const { t } = store;
  const stretches = told.heads.flat().map(({ change }) => ({ from: 0, to: change }));
  const scale = scaleOf(stretches);
  const names = new Map(metrics.map((each) => [headName(each), nameOf(each)]));
  const lines = told.heads.flatMap((own, layer) =>
    own.map(({ change }, head) =>
      line(store, state, { layer, head, change, scale, name: names.get(headName({ layer, head })) }),
    ),
  );
  const title = h("h3", {}, t("worth.dropped"));
  fill(root, title, h("p", { class: "muted" }, t("worth.dropped_about")), h("ol", { class: "in-turn" }, lines));
  root.append(selected(store, state, told));
}

/**
 * @param {Store} store
 * @param {State} state
 * @param {{layer: number, head: number, change: number, scale: ReturnType<typeof scaleOf>, name: ReturnType<typeof nameOf> | undefined}} row
 */
function line(store, { view, question }, { layer, head, change, scale, name }) {
  const { t } = store;
  const here = layer === view.layer && head === view.head;
  const gone = isDropped(question, { layer, head });
  const called = gone ? t("heads.dropped") : name ? t(`heads.name.${name.name}`) : "";
  const number = `${change > 0 ? "+" : ""}${fixed(change, 2)}`;
  const label = t("worth.head", { layer, head, name: called, change: number });
  const press = () => look(store, { layer, head });
  return h(
    "li",
    {},
    h(
      "button",
      { type: "button", "aria-pressed": String(here), title: label, class: gone && "gone", onclick: press },
      h("b", {}, headName({ layer, head })),
      h("span", { class: "called" }, called),
      barIn(scale, { from: 0, to: change }),
      h("span", { class: "number" }, number),
    ),
  );
}

/** What the selected head is worth, in probabilities. @param {Store} store @param {State} state @param {Ablations} told */
function selected(store, { view, question }, { heads, log_probability: before, token }) {
  const { t } = store;
  const { layer, head } = view;
  const after = heads[layer]?.[head]?.log_probability ?? before;
  const gone = isDropped(question, view);
  const values = {
    layer,
    head,
    token: token.trim() || token,
    before: percent(Math.exp(before)),
    after: percent(Math.exp(after)),
  };
  const drop = () => ask(store, "drop", [...question.drop, [layer, head]]);
  return h(
    "p",
    { class: "selected", role: "status" },
    t(gone ? "worth.selected_gone" : "worth.selected", values),
    " ",
    !gone && h("button", { type: "button", class: "button", onclick: drop }, t("worth.drop")),
  );
}
