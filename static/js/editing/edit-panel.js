import { setView } from "../core/actions.js";
import { CHANGES } from "../core/address/fields.js";
import { MATRICES } from "../core/question.js";
import { fill, h } from "../lib/dom.js";
import { mask } from "./mask-brush.js";
import { heads } from "./drop-head.js";
import { TensorEditor } from "./tensor-editor.js";
import { scaling } from "./scale-sliders.js";
import { labelOf } from "../matrix/names.js";

/** @import {Bench, BenchView} from "./apply-edit.js" */

/** @type {Record<string, BenchView>} */
const PANELS = { mask, scaling, heads };
const TENSORS = ["x", ...MATRICES];

export class EditPanel {
  /** @param {HTMLElement} root @param {Bench} bench */
  constructor(root, bench) {
    this.root = root;
    this.bench = bench;
    this.names = [...TENSORS, ...CHANGES.filter((name) => name in PANELS)];
    this.buttons = this.names.map((name) => this.button(name));
    this.body = h("div", { class: "body" });
    fill(root, this.header(), this.body);
    this.shown = "";
    /** @type {Part | null} */
    this.part = null;
  }

  header() {
    const { t } = this.bench.store;
    const end = () => setView(this.bench.store, { change: null });
    const close = { class: "close", onclick: end, "aria-label": t("change.close"), title: t("change.close") };
    const choices = { class: "tensors", role: "group", "aria-label": t("change.what") };
    return h("header", {}, h("h2", {}, t("change.title")), h("div", choices, this.buttons), h("button", close, "✕"));
  }

  /** @param {string} name */
  button(name) {
    const { store } = this.bench;
    const text = TENSORS.includes(name) ? labelOf(store, name) : store.t(`change.${name}`);
    return h("button", { type: "button", onclick: () => setView(store, { change: name }) }, text);
  }

  /** @param {State} state @param {State} [previous] */
  update(state, previous) {
    const { change } = state.view;
    this.root.hidden = change === null;
    document.body.dataset.change = change ?? "";
    this.names.forEach((name, index) => this.buttons[index].setAttribute("aria-pressed", String(name === change)));
    const fresh = change !== null && change !== this.shown;
    if (fresh) this.build(change);
    if (change) this.part?.update(state, fresh ? undefined : previous);
  }

  /** @param {string} name */
  build(name) {
    this.part?.destroy();
    this.shown = name;
    const place = h("div");
    fill(this.body, place);
    this.part = name in PANELS ? PANELS[name](place, this.bench) : new TensorEditor(place, this.bench, name);
  }

  destroy() {
    this.part?.destroy();
    fill(this.root);
  }
}
