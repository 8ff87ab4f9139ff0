/** Remarkable heads, found by metrics on repeated random tokens. */

import { setView } from "../core/actions.js";
import { namingMetric, namingMetrics, nameTexts } from "../core/head-names.js";
import { refusal } from "../core/refusal-words.js";
import { fetchPart, keyedRequest } from "../core/traces.js";
import { fill, h } from "../lib/dom.js";
import { percent } from "../lib/percent.js";
import { saveFile } from "../lib/save-file.js";
import { makeSelect, setOptions } from "../lib/select.js";
import { headName } from "../matrix/names.js";

/** @typedef {{layer: number, head: number, metrics: Record<string, number | null>, name: string, value: number}} Row */

const TOP = 5; // heads per kind

/** Kinds of heads, the most specific first. @param {Page} page */
export const kindsOf = (page) => namingMetrics(page).map(({ name }) => name);

/** @param {Page} page @param {Pick<Replies.Probe, "heads">} probe */
export function namedHeads(page, { heads }) {
  const rows = heads.flatMap((own, layer) =>
    own.flatMap((metrics, head) => {
      const found = namingMetric(page, metrics);
      return found ? [{ layer, head, metrics, ...found }] : [];
    }),
  );
  return rows.toSorted((a, b) => b.value - a.value);
}

/**
 * Listed heads by kind; `more`: number of heads not listed.
 * @param {Page} page @param {Pick<Replies.Probe, "heads">} probe
 * @param {string} only kind to list in full; "" for all
 */
export function headsByKind(page, probe, only) {
  const rows = namedHeads(page, probe);
  const listed = kindsOf(page).filter((kind) => !only || kind === only);
  const kinds = listed.map((kind) => {
    const own = rows.filter(({ name }) => name === kind);
    const top = only ? own : own.slice(0, TOP);
    return { kind, rows: top, more: own.length - top.length };
  });
  return kinds.filter((kind) => kind.rows.length > 0);
}

/**
 * CSV with a row per head: kind, metrics on random tokens, metrics on the text.
 * @param {Page} page @param {Pick<Replies.Probe, "heads">} probe @param {Metrics[]} metrics on the text
 */
export function headsCsv(page, { heads }, metrics) {
  const kinds = kindsOf(page);
  const columns = ["layer", "head", "name", ...kinds, ...page.metrics.map(({ name }) => `text_${name}`)];
  const onText = new Map(metrics.map((each) => [`${each.layer}.${each.head}`, each]));
  const lines = heads.flatMap((own, layer) =>
    own.map((measured, head) => {
      const text = onText.get(`${layer}.${head}`);
      const figures = [...kinds.map((name) => measured[name]), ...page.metrics.map(({ name }) => text?.[name])];
      return [layer, head, namingMetric(page, measured)?.name, ...figures].map((figure) => figure ?? "").join(",");
    }),
  );
  return [columns.join(","), ...lines, ""].join("\n");
}

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
    this.kinds = makeSelect((kind) => this.turnTo(kind), { "aria-label": t("heads.kind") });
    setOptions(this.kinds, ["", ...kindsOf(store.page)], null, (kind) =>
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
    const kinds = headsByKind(page, probe, this.kind);
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
    const text = headsCsv(this.store.page, this.probe, this.store.get().metrics ?? []);
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
