/** "Find heads": what every head does on random tokens that repeat, beside what it does on this text. */

import { look } from "../core/actions.js";
import { nameOf, writtenName } from "../core/head-names.js";
import { told, wanting } from "../core/trace-replies.js";
import { refusal } from "../core/refusal-words.js";
import { fill, h } from "../lib/dom.js";
import { percent } from "../lib/percent.js";
import { headName } from "../matrix/names.js";

/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Store} Store */
/** @typedef {import("../core/trace-replies.js").Probe} Probe */
/** @typedef {{layer: number, head: number, metrics: Record<string, number | null>, value: number}} Row */

const QUERY = { seed: 0, repeats: 2 };

export class FoundHeads {
  /** @type {Probe | null} */
  probe = null;

  /** @param {Store} store */
  constructor(store) {
    const { t } = store;
    this.store = store;
    const press = () => look(store, { probe: !store.get().view.probe });
    this.button = h("button", { type: "button", class: "button", title: t("heads.find_about"), onclick: press });
    fill(this.button, t("heads.find"));
    this.content = h("div", { role: "status" });
    this.root = h("section", { class: "found-heads", "aria-label": t("heads.found") }, this.button, this.content);
    this.want = wanting(
      (/** @type {Probe} */ probe) => this.take(probe),
      (problem) => this.take(null, refusal(store, problem)),
      this.content,
    );
  }

  /** @param {State} state with an answer */
  show(state) {
    const { probe } = state.view;
    this.button.setAttribute("aria-pressed", String(probe));
    this.content.hidden = !probe;
    if (!probe) return;
    const trace = state.answer?.reply.trace;
    this.want(`${trace} ${state.attempt}`, () => told(state, "probe", QUERY), trace);
    if (this.probe) this.draw(state, this.probe);
  }

  /** @param {Probe | null} probe @param {import("../lib/dom.js").Child[]} [why] there is none */
  take(probe, why = []) {
    this.probe = probe;
    if (probe) this.draw(this.store.get(), probe);
    else fill(this.content, h("p", { class: "error" }, why));
  }

  /** @param {State} state @param {Probe} probe */
  draw(state, probe) {
    const { t } = this.store;
    const rows = named(probe);
    const all = probe.heads.flat().length;
    const about = h("p", {}, t("heads.probed", { length: probe.length, repeats: probe.repeats }));
    if (probe.copied !== null) {
      const share = percent(probe.copied);
      about.append(" ", h("b", { title: t("heads.copied_about") }, t("heads.copied", { share })));
    }
    const rest = h("p", { class: "muted" }, t("heads.unnamed", { n: all - rows.length, all }));
    fill(this.content, about, rows.length > 0 && this.table(state, rows), rest);
  }

  /** @param {State} state @param {Row[]} rows */
  table(state, rows) {
    const { t } = this.store;
    const titles = ["of_head", "of_probe", "of_text"].map((name) => h("th", { scope: "col" }, t(`heads.${name}`)));
    const lines = rows.map((row) => this.line(state, row));
    return h("table", { class: "facts" }, h("thead", {}, h("tr", {}, titles)), h("tbody", {}, lines));
  }

  /** @param {State} state @param {Row} row */
  line({ metrics, view }, { layer, head, metrics: probed }) {
    const { t } = this.store;
    const { text, about } = writtenName(t, probed);
    const own = metrics?.find((each) => each.layer === layer && each.head === head);
    const name = /** @type {import("../core/address/address.js").Metric} */ (nameOf(probed)?.name);
    const here = layer === view.layer && head === view.head;
    const press = () => look(this.store, { layer, head });
    const button = h(
      "button",
      { class: "link", "aria-pressed": String(here), title: t("heads.one", { layer, head }), onclick: press },
      headName({ layer, head }),
    );
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, button),
      h("td", { title: about }, text),
      h("td", { class: "number" }, own?.[name]?.toFixed(2) ?? "–"),
    );
  }
}

/** The heads that have a name on the random tokens, the clearest first. @param {Probe} probe @returns {Row[]} */
export function named({ heads }) {
  const rows = heads.flatMap((own, layer) =>
    own.map((metrics, head) => ({ layer, head, metrics, value: nameOf(metrics)?.value ?? 0 })),
  );
  return rows.filter(({ value }) => value > 0).toSorted((a, b) => b.value - a.value);
}
