/** The enlarged stage, beside the inspector. */

import { look } from "../core/actions.js";
import { formulaOf, isMap, stageOf } from "../core/page.js";
import { largeStage } from "../core/large-stage.js";
import { inWords, weighted } from "../core/in-words.js";
import { fill, h, math } from "../lib/dom.js";
import { makeSlots } from "../lib/slots.js";
import { shapeOf } from "../matrix/shape-text.js";
import { heatmap } from "../matrix/heatmap.js";
import { legend } from "../matrix/legend.js";
import { inWords as formulaWords } from "./formula-words.js";
import { table } from "../matrix/stage-table.js";
import { labelOf } from "../matrix/names.js";

const SIZES = { gutter: 130, most: 64 }; // CSS pixels; gutter for labels, most for a cell

/** Sizes of the picture, larger in a presentation. @param {Store} store */
function sizes(store) {
  if (!store.get().view.present) return { ...SIZES, stretch: 1, letters: 11 };
  const high = window.innerHeight;
  return { gutter: high / 4, most: high / 5, stretch: 1.5, letters: 0.0235 * high };
}

/** @type {ViewOf} */
export const large = (root, store, slots = makeSlots()) =>
  new LargeStage(/** @type {HTMLDialogElement} */ (root), store, slots("large"));

class LargeStage {
  /** @param {HTMLDialogElement} dialog @param {Store} store @param {HTMLElement} slot at the end of the dialog */
  constructor(dialog, store, slot) {
    this.dialog = dialog;
    this.store = store;
    this.slot = slot;
    /** @type {Part[]} */
    this.parts = [];
    this.shown = "";
    this.framed = document.body.classList.contains("embed");
    this.fixed = store.get().framed !== null;
    this.keys = new AbortController();
    dialog.addEventListener("close", () => store.get().view.stage && look(store, { stage: null, table: false }));
    document.addEventListener("keydown", (event) => this.onKey(event), { signal: this.keys.signal });
  }

  /** @param {KeyboardEvent} event */
  onKey({ key, target }) {
    const typing = target instanceof Element && target.closest("#options, #sentence, dialog:modal");
    if (key === "Escape" && this.dialog.open && !this.fixed && !typing) this.dialog.close();
  }

  /** @param {State} state @param {State} [previous] */
  update(state, previous) {
    const name = largeStage(this.store.page, state)?.name ?? "";
    const fresh = name !== "" && name !== this.shown;
    if (name !== this.shown) for (const part of this.parts.splice(0)) part.destroy();
    if (fresh) this.build(stageOf(this.store.page, name));
    this.shown = name;
    // In a frame the embedding page keeps the focus, which show() would take.
    if (name && this.framed) this.dialog.open = true;
    else if (name && !this.dialog.open) this.dialog.show();
    if (!name && this.dialog.open) this.dialog.close();
    const before = fresh ? undefined : previous;
    for (const part of this.parts) part.update(state, before);
    if (fresh) this.focus(state);
  }

  /** @param {Stage} stage */
  build(stage) {
    const { dialog, store } = this;
    const label = labelOf(store, stage.name);
    const [picture, foot, sheet] = [h("div"), h("div"), h("div", { class: "sheet", tabindex: "0" })];
    const words = stage.name === "weights"; // weights may be between words, other stages have pieces
    const said = h("p", { class: "muted" });
    const { header, formula, shape, toggle } = this.header(stage, label);
    let written = "";
    fill(dialog, header, said, picture, sheet, foot, this.slot);
    dialog.setAttribute("aria-label", label);
    dialog.classList.toggle("map", isMap(stage));
    const own = /** @type {Part} */ ({
      update(state) {
        const formulaNow = formulaOf(stage, state);
        if (formulaNow.mathml !== written) fill(formula, math((written = formulaNow.mathml)));
        fill(said, formulaWords(store, formulaNow.formula));
        fill(shape, shapeOf(words ? inWords(state) : state, stage));
        toggle.checked = state.view.table;
        picture.hidden = foot.hidden = state.view.table;
        sheet.hidden = !state.view.table;
      },
      destroy: () => fill(dialog),
    });
    const size = {
      get gutter() {
        return sizes(store).gutter;
      },
      get most() {
        return sizes(store).most;
      },
      get stretch() {
        return sizes(store).stretch;
      },
      get letters() {
        return sizes(store).letters;
      },
    };
    const [drawn, explained, listed] = words
      ? [weighted(heatmap), weighted(legend), weighted(table)]
      : [heatmap, legend, table];
    this.parts = [own, drawn(picture, store, stage, size), explained(foot, store, stage), listed(sheet, store, stage)];
  }

  /** @param {Stage} stage @param {string} label */
  header(stage, label) {
    const { dialog, store } = this;
    const { t } = store;
    const [formula, shape] = [h("span", { class: "formula" }), h("p", { class: "shape" })];
    const toggle = h("input", { type: "checkbox", onchange: () => look(store, { table: toggle.checked }) });
    const close = { class: "close", onclick: () => dialog.close(), "aria-label": t("dialog.close") };
    const take = { class: "take", "data-take": stage.name, "aria-label": t("share.take", { stage: label }) };
    const header = h(
      "header",
      {},
      h("h2", {}, label),
      formula,
      shape,
      h("label", { class: "flag" }, toggle, t("large.table")),
      h("button", take, "⤓"),
      !this.fixed && h("button", close, "✕"),
    );
    return { header, formula, shape, toggle };
  }

  /** Focuses the picture, except in frames and presentations. @param {State} state */
  focus({ view }) {
    if (view.present) /** @type {HTMLElement | null} */ (document.activeElement)?.blur(); // remove the focus that show() set
    if (view.present || this.framed) return;
    const plots = /** @type {NodeListOf<HTMLElement>} */ (this.dialog.querySelectorAll(".plot"));
    [...plots].find((plot) => plot.checkVisibility())?.focus();
  }

  destroy() {
    this.keys.abort();
    for (const part of this.parts) part.destroy();
  }
}
