import { setView } from "../core/actions.js";
import { MAPS, RAMPS, REDUCES } from "../core/address/fields.js";
import { h } from "../lib/dom.js";
import { field } from "../lib/field.js";
import { makeSelect, setOptions } from "../lib/select.js";
import { offerIndices } from "../lib/count-select.js";
import { labelOf } from "../matrix/names.js";
import { LeftOutChoice } from "../matrix/left-out.js";
import { rampOf } from "./byte-codes.js";

export class MapOptions {
  /** @param {Store} store */
  constructor(store) {
    const { t } = store;
    this.store = store;
    this.stage = makeSelect((map) => setView(store, { map: /** @type {any} */ (map) }));
    this.layer = makeSelect((layer) => setView(store, { layer: Number(layer) }));
    this.head = makeSelect((head) => setView(store, { head: Number(head) }));
    this.reduce = makeSelect((reduce) => setView(store, { reduce: /** @type {any} */ (reduce) }), {
      title: t("map.reduce_about"),
    });
    this.ramp = makeSelect((ramp) => setView(store, { ramp: /** @type {any} */ (ramp) }));
    this.table = h("input", { type: "checkbox", onchange: () => setView(store, { table: this.table.checked }) });
    this.layers = field(t("map.layer"), this.layer);
    this.keys = new LeftOutChoice(store);
    this.root = h(
      "div",
      { class: "choices", role: "group", "aria-label": t("map.choices") },
      field(t("map.stage"), this.stage),
      this.layers,
      field(t("map.head"), this.head),
      field(t("map.reduce"), this.reduce),
      field(t("map.ramp"), this.ramp),
      this.keys.root,
      h("label", { class: "field flag" }, this.table, t("map.table")),
    );
  }

  /** @param {State} state */
  show(state) {
    const { view, answer } = state;
    const { t } = this.store;
    const { num_layers, num_heads, m } = /** @type {Answer} */ (answer).reply.shape;
    setOptions(this.stage, MAPS, view.map, (name) => labelOf(this.store, name));
    this.layers.hidden = num_layers < 2;
    offerIndices(this.layer, num_layers, view.layer, String);
    offerIndices(this.head, num_heads, view.head, String);
    setOptions(this.reduce, REDUCES, view.reduce, (name) => t(`map.${name}`));
    const weights = view.map === "weights";
    /** @type {readonly Maps.Ramp[]} */
    const ramps = weights ? RAMPS : ["auto", "log"]; // no root, as scores may be negative
    const now = ramps.includes(view.ramp) ? view.ramp : "auto";
    const usual = t("map.ramp.auto", { how: t(`map.ramp.${rampOf("auto", m)}`) });
    const nameOf = (/** @type {string} */ name) => (name === "auto" ? usual : t(`map.ramp.${name}`));
    setOptions(
      this.ramp,
      ramps,
      now,
      weights ? nameOf : (name) => t(name === "auto" ? "map.ramp.even" : "map.ramp.log"),
    );
    this.keys.root.hidden = !weights;
    if (weights) this.keys.show(state);
    this.table.checked = view.table;
  }
}
