/** Remarkable heads, found by metrics on repeated random tokens. */

import { setView } from "../core/actions.js";
import { nameTexts } from "../core/head-names.js";
import { fetchPart, keyedRequest } from "../core/trace-replies.js";
import { refusal } from "../core/refusal-words.js";
import { fill, h } from "../lib/dom.js";
import { percent } from "../lib/percent.js";
import { saveFile } from "../lib/save-file.js";
import { choice, offer } from "../lib/select.js";
import { headName } from "../matrix/names.js";
import { kindsOf, namedHeads, ofKinds, tableOf } from "./head-kinds.js";

/** @typedef {import("./head-kinds.js").Row} Row */

const QUERY = { seed: 0, repeats: 2 };

export class FoundHeads {
  /** @type {Replies.Probe | null} */
  probe = null;
  kind = ""; // empty: all kinds

  /** @param {Store} store */
  constructor(store) {
    const { t } = store;
    this.store = store;
    const press = () => setView(store, { probe: !store.get().view.probe });
    this.button = h("button", { type: "button", class: "button", title: t("heads.find_about"), onclick: press });
    fill(this.button, t("heads.find"));
    this.content = h("div", { role: "status" });
    this.kinds = choice((kind) => this.turnTo(kind), { "aria-label": t("heads.kind") });
    offer(this.kinds, ["", ...kindsOf(store.page)], null, (kind) =>
      t(kind ? `heads.name.${kind}` : "heads.every_kind"),
    );
    const save = () => this.save();
    this.file = h("button", { type: "button", class: "button", onclick: save }, t("heads.csv"));
    this.root = h("section", { class: "found-heads", "aria-label": t("heads.found") }, this.button, this.content);
    this.want = keyedRequest(
      (/** @type {Replies.Probe} */ probe) => this.take(probe),
      (problem) => this.take(null, refusal(store, problem)),
      this.content,
    );
  }

  /** @param {State} state */
  show(state) {
    const { probe } = state.view;
    this.button.setAttribute("aria-pressed", String(probe));
    this.content.hidden = !probe;
    if (!probe) return;
    const trace = state.answer?.reply.trace;
    this.want(`${trace} ${state.attempt}`, () => fetchPart(state, "probe", QUERY), trace);
    if (this.probe) this.draw(state, this.probe);
  }

  /** @param {Replies.Probe | null} probe @param {Child[]} [why] reason for null */
  take(probe, why = []) {
    this.probe = probe;
    if (probe) this.draw(this.store.get(), probe);
    else fill(this.content, h("p", { class: "error" }, why));
  }

  /** @param {State} state @param {Replies.Probe} probe */
  draw(state, probe) {
    const { page, t } = this.store;
    const all = probe.heads.flat().length;
    const about = h("p", {}, t("heads.probed", { length: probe.length, repeats: probe.repeats }));
    if (probe.copied !== null) {
      const share = percent(probe.copied);
      about.append(" ", h("b", { title: t("heads.copied_about") }, t("heads.copied", { share })));
    }
    const kinds = ofKinds(page, probe, this.kind);
    const shown = kinds.flatMap(({ rows }) => rows);
    const tables = kinds.map(({ kind, rows, more }) =>
      h("div", {}, this.table(state, kind, rows), more > 0 && h("p", { class: "muted" }, t("heads.more", { n: more }))),
    );
    const rest = h("p", { class: "muted" }, t("heads.unnamed", { n: all - namedHeads(page, probe).length, all }));
    const held = [this.kinds, this.file].find((each) => each === document.activeElement);
    const tools = h("p", { class: "tools" }, this.kinds, this.file);
    const none = h("p", { class: "muted" }, t("heads.none_of_kind"));
    fill(this.content, about, tools, shown.length > 0 ? h("div", { class: "kinds" }, tables) : none, rest);
    held?.focus();
  }

  /** @param {string} kind */
  turnTo(kind) {
    this.kind = kind;
    if (this.probe) this.draw(this.store.get(), this.probe);
  }

  save() {
    if (!this.probe) return;
    const text = tableOf(this.store.page, this.probe, this.store.get().metrics ?? []);
    saveFile(new Blob([text], { type: "text/csv" }), "attnscope-heads.csv");
  }

  /** @param {State} state @param {string} kind @param {Row[]} rows */
  table(state, kind, rows) {
    const { t } = this.store;
    const titles = ["of_head", "of_probe", "of_text"].map((name) => h("th", { scope: "col" }, t(`heads.${name}`)));
    const lines = rows.map((row) => this.line(state, kind, row));
    const about = h("caption", { title: t(`metric.about.${kind}`) }, t(`heads.name.${kind}`));
    return h("table", { class: "facts" }, about, h("thead", {}, h("tr", {}, titles)), h("tbody", {}, lines));
  }

  /** @param {State} state @param {string} name @param {Row} row */
  line({ metrics, view }, name, { layer, head, metrics: probed }) {
    const { t } = this.store;
    const { text, about } = nameTexts(this.store, probed);
    const own = metrics?.find((each) => each.layer === layer && each.head === head);
    const here = layer === view.layer && head === view.head;
    const press = () => setView(this.store, { layer, head });
    const title = t("heads.one", { layer, head });
    const attributes = { class: "link", "aria-pressed": String(here), title, onclick: press };
    const button = h("button", attributes, headName({ layer, head }));
    const figure = h("td", { class: "number" }, own?.[name]?.toFixed(2) ?? "–");
    return h("tr", {}, h("th", { scope: "row" }, button), h("td", { title: about }, text), figure);
  }
}
