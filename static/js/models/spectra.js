import { call, onProblem } from "../core/api.js";
import { fill, h } from "../lib/dom.js";
import { field } from "../lib/field.js";
import { newest, memoize } from "../lib/newest.js";
import { SYMBOLS, typeset } from "../lib/notation.js";
import { makeSelect, setOptions } from "../lib/select.js";
import { offerIndices } from "../lib/count-select.js";
import { facts, singularValues } from "../parameters/spectrum.js";

/** @typedef {{heads: {matrices: Record<string, Replies.Spectrum>}[]}} Reply */
/** @typedef {{name: string, revisions: string[], shape: {num_layers: number, num_heads: number}}} Model */

const KEPT = 64; // cached replies

/** @type {ReturnType<typeof memoize<Reply>>} */
const remembered = memoize(KEPT);

export class Spectra {
  /** @type {Reply | null} */
  reply = null;

  /** @param {{t: Store["t"]}} store @param {Model} model */
  constructor(store, model) {
    const { t } = store;
    this.store = store;
    this.model = model;
    const { num_layers: layers, num_heads: heads } = model.shape;
    this.place = { revision: model.revisions.at(-1) ?? "", layer: 0, head: 0, matrix: "w_q", table: false };
    this.layer = makeSelect((index) => this.look({ layer: Number(index) }));
    this.head = makeSelect((index) => this.look({ head: Number(index) }));
    this.revision = makeSelect((revision) => this.look({ revision }));
    offerIndices(this.layer, layers, 0, String);
    offerIndices(this.head, heads, 0, String);
    setOptions(this.revision, model.revisions, this.place.revision);
    this.table = h("input", { type: "checkbox", onchange: () => this.look({ table: this.table.checked }) });
    this.buttons = Object.keys(SYMBOLS).map((matrix) => {
      const attributes = { type: "button", class: "button", onclick: () => this.look({ matrix }) };
      return { matrix, button: h("button", attributes, typeset(SYMBOLS[matrix])) };
    });
    this.drawn = h("div", { class: "spectrum", "aria-live": "polite" });
    this.asked = newest(
      (/** @type {Reply} */ found) => this.show(found),
      onProblem((problem) => fill(this.drawn, h("p", { class: "error" }, problem.message || t("models.offline")))),
    );
    this.root = h("div", {}, this.choices(), this.drawn);
    this.look({});
  }

  choices() {
    const { t } = this.store;
    const { shape, revisions } = this.model;
    const buttons = this.buttons.map(({ button }) => button);
    return h(
      "div",
      { class: "choices", role: "group", "aria-label": t("parameters.choices") },
      revisions.length > 1 && field(t("models.revision"), this.revision),
      shape.num_layers > 1 && field(t("parameters.layer"), this.layer),
      shape.num_heads > 1 && field(t("parameters.head"), this.head),
      h("span", { class: "matrices", role: "group", "aria-label": t("parameters.matrix") }, buttons),
      h("label", { class: "field" }, this.table, t("parameters.tables")),
    );
  }

  /** @param {Partial<Spectra["place"]>} place */
  look(place) {
    Object.assign(this.place, place);
    const { revision, layer, head } = this.place;
    for (const { matrix, button } of this.buttons)
      button.setAttribute("aria-pressed", String(matrix === this.place.matrix));
    const query = new URLSearchParams({ revision, layer: String(layer), head: String(head), tensors: "false" });
    const path = `/api/v1/models/installed/${encodeURIComponent(this.model.name)}/spectrum?${query}`;
    if (this.reply) this.show(this.reply); // a reply has every matrix
    this.asked.want(path, () => remembered(path, async () => (await call(path)).json()));
  }

  /** @param {Reply} reply */
  show(reply) {
    this.reply = reply;
    const { store, place } = this;
    const { matrices } = reply.heads[0];
    const spectrum = matrices[place.matrix];
    for (const { matrix, button } of this.buttons) button.hidden = !(matrix in matrices);
    const title = store.t("parameters.values", { matrix: SYMBOLS[place.matrix], head: place.head });
    fill(
      this.drawn,
      h("h3", {}, typeset(title)),
      h("div", { class: "values" }, singularValues(store, spectrum, place.table)),
      facts(store, place.matrix, { matrices }, { tensors: null }),
    );
  }
}
