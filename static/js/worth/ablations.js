import { setView } from "../core/actions.js";
import { setField } from "../core/question-changes.js";
import { namingMetric } from "../core/head-names.js";
import { isDropped } from "../core/dropped-head.js";
import { passingWords } from "../core/refusal-words.js";
import { fill, h } from "../lib/dom.js";
import { formatFixed } from "../lib/fixed-decimals.js";
import { percent } from "../lib/percent.js";
import { headName } from "../matrix/names.js";
import { barIn, scaleOf } from "./logit-parts.js";
import { pieceName } from "./pieces.js";

/** @import {Found, Dropped} from "./ablation-run.js" */

const BY_LAYER = 32; // most heads listed by layer; more are sorted by effect

export class AblationList {
  /** @param {HTMLElement} root @param {Store} store @param {{stop: () => void, again: () => void}} hand */
  constructor(root, store, { stop, again }) {
    const { t } = store;
    this.store = store;
    this.list = h("ol", { class: "in-turn" });
    this.bar = h("progress", { "aria-label": t("worth.dropping") });
    this.count = h("span");
    const end = h("button", { type: "button", class: "button", onclick: stop }, t("worth.stop"));
    this.running = h("p", { class: "running" }, this.bar, this.count, end);
    this.words = h("span", { role: "status" });
    this.again = h("button", { type: "button", class: "button", onclick: again }, t("worth.again"));
    this.note = h("p", { class: "note" }, this.words, " ", this.again);
    this.selected = h("p", { class: "selected", role: "status" });
    const about = h("p", { class: "muted" }, t("worth.dropped_about"));
    const scroll = h("div", { class: "long" }, this.list);
    fill(root, h("h3", {}, t("worth.dropped")), about, this.running, this.note, scroll, this.selected);
  }

  /** @param {State} state @param {Found} found @param {Metrics[]} metrics */
  show(state, found, metrics) {
    this.showProgress(found);
    const names = new Map(metrics.map((each) => [headName(each), namingMetric(this.store.page, each)]));
    const scale = scaleOf(found.heads.map(({ change }) => ({ from: 0, to: change })));
    const held = this.list.contains(document.activeElement) ? document.activeElement?.getAttribute("data-head") : null;
    const lines = inOrder(found).map((one) => line(this.store, state, one, scale, names.get(headName(one))));
    fill(this.list, lines);
    const focused = /** @type {HTMLElement | null} */ (held && this.list.querySelector(`[data-head="${held}"]`));
    focused?.focus();
    fill(this.selected, ...selectedHeadText(this.store, state, found));
  }

  /** @param {Found} found */
  showProgress({ status, about, all, problem }) {
    const { t } = this.store;
    const { done = 0, of = all } = about ?? {};
    this.running.hidden = status !== "runs";
    Object.assign(this.bar, { max: of, value: done });
    this.count.textContent = t("worth.so_far", { done, of });
    this.again.hidden = status === "runs" || status === "done";
    const words = {
      runs: "",
      done: of < all ? t("worth.some", { of, all }) : "",
      stopped: t("worth.stopped", { done, of }),
      failed: problem ? passingWords(this.store, problem, "worth.much") : "",
    };
    this.words.textContent = words[status];
    this.note.hidden = !words[status];
  }
}

/** Many heads stay in order of arrival until the run ends. @param {Found} found */
function inOrder({ heads, all, status }) {
  if (all <= BY_LAYER) return [...heads].sort((a, b) => a.layer - b.layer || a.head - b.head);
  return status === "runs" ? heads : [...heads].sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
}

/**
 * @param {Store} store @param {State} state @param {Dropped} dropped @param {ReturnType<typeof scaleOf>} scale
 * @param {ReturnType<typeof namingMetric> | undefined} name
 */
function line(store, { view, question }, { layer, head, change }, scale, name) {
  const { t } = store;
  const here = layer === view.layer && head === view.head;
  const gone = isDropped(question, { layer, head });
  const called = gone ? t("heads.dropped") : name ? t(`heads.name.${name.name}`) : "";
  const number = `${change > 0 ? "+" : ""}${formatFixed(change, 2)}`;
  const attributes = {
    type: "button",
    "aria-pressed": String(here),
    "data-head": headName({ layer, head }),
    title: t("worth.head", { layer, head, name: called, change: number }),
    class: gone && "gone",
    onclick: () => setView(store, { layer, head }),
  };
  const button = h(
    "button",
    attributes,
    h("b", {}, headName({ layer, head })),
    h("span", { class: "called" }, called),
    barIn(scale, { from: 0, to: change }),
    h("span", { class: "number", translate: "no" }, number),
  );
  return h("li", {}, button);
}

/** @param {Store} store @param {State} state @param {Found} found @returns {Child[]} */
function selectedHeadText(store, { view, question }, { heads, about }) {
  const { t } = store;
  const { layer, head } = view;
  if (!about) return [];
  const one = heads.find((each) => each.layer === layer && each.head === head);
  const gone = isDropped(question, view);
  const { token, log_probability: before } = about;
  const values = {
    layer,
    head,
    token: pieceName(t, token),
    before: percent(Math.exp(before)),
    after: percent(Math.exp(one?.log_probability ?? before)),
  };
  const drop = () => setField(store, "drop", [...question.drop, [layer, head]]);
  const key = gone ? "selected_gone" : one ? "selected" : "selected_waits";
  return [
    t(`worth.${key}`, values),
    " ",
    !gone && h("button", { type: "button", class: "button", onclick: drop }, t("worth.drop")),
  ];
}
