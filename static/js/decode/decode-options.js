import { setView } from "../core/actions.js";
import { h } from "../lib/dom.js";
import { makeSelect } from "../lib/select.js";
import { offerIndices } from "../lib/count-select.js";
import { prefixOf } from "./steps.js";

export class DecodeOptions {
  /** @param {Store} store */
  constructor(store) {
    const { t } = store;
    this.t = t;
    this.layer = makeSelect((index) => setView(store, { layer: Number(index) }));
    this.head = makeSelect((index) => setView(store, { head: Number(index) }));
    this.layers = h("label", { class: "field" }, h("span", {}, t("decode.layer")), this.layer);
    this.heads = h("label", { class: "field" }, h("span", {}, t("decode.head")), this.head);
    this.prefill = h("input", {
      type: "number",
      onchange: () => setView(store, { prefill: this.prefillLength(), decoded: null }),
    });
    this.open = h("span", { class: "muted" });
    this.table = h("input", { type: "checkbox", onchange: () => setView(store, { table: this.table.checked }) });
    this.root = h(
      "div",
      { class: "choices", role: "group", "aria-label": t("decode.choices") },
      this.layers,
      this.heads,
      h("label", { class: "field" }, h("span", {}, t("decode.prefill")), this.prefill),
      this.open,
      h("label", { class: "field flag" }, this.table, t("decode.tables")),
    );
  }

  prefillLength() {
    return Math.max(0, Math.round(this.prefill.valueAsNumber) || 0);
  }

  /** @param {State} state @param {import("./steps.js").Steps} steps */
  show({ answer, question, view }, { n, prefill }) {
    const { num_layers, num_heads } = /** @type {Answer} */ (answer).reply.shape;
    offerIndices(this.layer, num_layers, view.layer, String);
    offerIndices(this.head, num_heads, view.head, String);
    this.layers.hidden = num_layers < 2;
    this.heads.hidden = num_heads < 2;
    this.prefill.max = String(n);
    this.prefill.min = String(Math.min(prefixOf(question), n));
    this.prefill.value = String(prefill);
    this.open.textContent = prefill > view.prefill ? this.t("decode.open", { n: prefill }) : "";
    this.table.checked = view.table;
  }
}
