import { look } from "../core/actions.js";
import { NAMES } from "./three-values.js";
import { showsStage } from "./pair.js";
import { signed } from "../core/difference.js";
import { isMap, stageOf } from "../core/page.js";
import { fill, h } from "../lib/dom.js";
import { formulas } from "./pair-formula.js";
import { heatmap } from "../matrix/heatmap.js";
import { legend } from "../matrix/legend.js";
import { table } from "../matrix/stage-table.js";
import { labelOf } from "../matrix/names.js";

/** @typedef {import("./pair.js").PairStore} PairStore */
/** @import {Name, Stores} from "./three-values.js" */

const SIZE = { most: 64, gutter: 130 };

export class PairLarge {
  /** @param {HTMLDialogElement} dialog @param {PairStore} pair @param {Stores} stores */
  constructor(dialog, pair, stores) {
    this.dialog = dialog;
    this.pair = pair;
    this.stores = stores;
    /** @type {Part[]} */
    this.parts = [];
    this.shown = "";
    /** @type {State | undefined} */
    this.before = undefined;
    dialog.addEventListener("close", () => pair.get().view.stage && look(stores.a, { stage: null, table: false }));
    document.addEventListener("keydown", (event) => this.onKey(event));
  }

  /** @param {KeyboardEvent} event */
  onKey({ key, target }) {
    const menu = target instanceof Element && target.closest(".sides, dialog:modal");
    if (key === "Escape" && this.dialog.open && !menu) this.dialog.close();
  }

  update() {
    const { dialog, parts } = this;
    const { of } = this.pair.get();
    const name = this.name();
    const key = name && `${name} ${of}`;
    const fresh = key !== "" && key !== this.shown;
    const chosen = dialog.querySelector(".choice")?.contains(document.activeElement) ?? false;
    if (key !== this.shown) for (const part of parts.splice(0)) part.destroy();
    if (fresh) parts.push(...this.build(stageOf(this.pair.page, name), of));
    this.shown = key;
    if (name && !dialog.open) dialog.show();
    if (!name && dialog.open) dialog.close();
    const state = this.stores[of].get();
    for (const part of parts) part.update(state, fresh ? undefined : this.before);
    this.before = state;
    if (fresh) this.focus(chosen);
  }

  name() {
    const state = this.pair.get();
    const stage = this.pair.page.stages.find(({ name }) => name === state.view.stage);
    return stage && showsStage(state, stage) ? stage.name : "";
  }

  /** @param {Stage} known @param {Name} of */
  build(known, of) {
    const store = this.stores[of];
    const { t } = store;
    const stage = of === "difference" ? signed(known) : known;
    const title = t("compare.of", { stage: labelOf(store, known.name), of: t(`compare.${of}`) });
    const [picture, foot] = [h("div"), h("div")];
    const sheet = h("div", { class: "sheet", tabindex: "0", "aria-label": title, role: "region" });
    const { header, formula, toggle } = this.header(known, of);
    fill(this.dialog, header, picture, sheet, foot);
    this.dialog.setAttribute("aria-label", title);
    this.dialog.classList.toggle("map", isMap(stage));
    const own = /** @type {Part} */ ({
      update({ view }) {
        formula.update();
        toggle.checked = view.table;
        picture.hidden = foot.hidden = view.table;
        sheet.hidden = !view.table;
      },
      destroy: () => fill(this.dialog),
    });
    return [own, heatmap(picture, store, stage, SIZE), legend(foot, store, stage), table(sheet, store, stage)];
  }

  /** @param {Stage} stage @param {Name} of */
  header(stage, of) {
    const { dialog, stores } = this;
    const { t } = stores[of];
    const formula = formulas(stores, stage);
    const toggle = h("input", { type: "checkbox", onchange: () => look(stores[of], { table: toggle.checked }) });
    const header = h(
      "header",
      {},
      h("h2", {}, labelOf(stores[of], stage.name)),
      formula.root,
      this.choice(of),
      h("label", { class: "flag" }, toggle, t("large.table")),
      h("button", { class: "close", onclick: () => dialog.close(), "aria-label": t("dialog.close") }, "✕"),
    );
    return { header, formula, toggle };
  }

  /** @param {Name} of */
  choice(of) {
    const { pair } = this;
    const buttons = NAMES.map((name) => {
      const choose = () => pair.set({ of: name }, { replace: true });
      const attributes = { type: "button", "aria-pressed": String(name === of), onclick: choose };
      return h("button", attributes, pair.t(`compare.${name}`));
    });
    return h("div", { class: "choice", role: "group", "aria-label": pair.t("compare.which") }, buttons);
  }

  /** @param {boolean} chosen */
  focus(chosen) {
    const at = chosen ? '.choice [aria-pressed="true"]' : ".plot";
    /** @type {HTMLElement | null} */ (this.dialog.querySelector(at))?.focus();
  }
}
