import { setView } from "../core/actions.js";
import { MATRIX_NAMES } from "../core/address/fields.js";
import { h } from "../lib/dom.js";
import { field } from "../lib/field.js";
import { SYMBOLS, typeset } from "../lib/notation.js";
import { choice } from "../lib/select.js";
import { offerIndices } from "../lib/count-select.js";

export class ParameterOptions {
  /** @param {Store} store */
  constructor(store) {
    const { t } = store;
    this.layer = choice((index) => setView(store, { layer: Number(index) }));
    this.head = choice((index) => setView(store, { head: Number(index) }));
    this.layers = field(t("parameters.layer"), this.layer);
    this.heads = field(t("parameters.head"), this.head);
    this.buttons = MATRIX_NAMES.map((name) =>
      h("button", { onclick: () => setView(store, { matrix: name }) }, typeset(SYMBOLS[name])),
    );
    this.table = h("input", { type: "checkbox", onchange: () => setView(store, { table: this.table.checked }) });
    const matrices = { class: "swatches matrices", role: "group", "aria-label": t("parameters.matrix") };
    this.root = h(
      "div",
      { class: "choices", role: "group", "aria-label": t("parameters.choices") },
      this.layers,
      this.heads,
      h("span", matrices, this.buttons),
      h("label", { class: "field flag" }, this.table, t("parameters.tables")),
    );
  }

  /** @param {State} state @param {Record<string, unknown> | undefined} matrices */
  show({ answer, view }, matrices) {
    const { num_layers, num_heads } = /** @type {Answer} */ (answer).reply.shape;
    offerIndices(this.layer, num_layers, view.layer, String);
    offerIndices(this.head, num_heads, view.head, String);
    this.layers.hidden = num_layers < 2;
    this.heads.hidden = num_heads < 2;
    this.table.checked = view.table;
    MATRIX_NAMES.forEach((name, at) => {
      this.buttons[at].hidden = matrices !== undefined && !(name in matrices);
      this.buttons[at].setAttribute("aria-pressed", String(name === view.matrix));
    });
  }
}
