import { NAMES } from "./three-values.js";
import { showsStage } from "./pair.js";
import { signed } from "../difference/difference.js";
import { stageOf } from "../core/page.js";
import { h } from "../lib/dom.js";
import { formulas } from "./pair-formula.js";
import { Heatmap } from "../matrix/heatmap.js";
import { LARGE_SIZE, LargeDialog } from "../matrix/large-dialog.js";
import { legend } from "../matrix/legend.js";
import { table } from "../matrix/stage-table.js";
import { labelOf } from "../matrix/names.js";

/** @import {Name, Stores} from "./three-values.js" */

export class PairLarge extends LargeDialog {
  /** @param {HTMLDialogElement} dialog @param {import("./pair.js").PairStore} pair @param {Stores} stores */
  constructor(dialog, pair, stores) {
    super(dialog, stores.a, ".sides");
    this.pair = pair;
    this.stores = stores;
    /** @type {State | undefined} */
    this.before = undefined;
  }

  update() {
    const { dialog, pair } = this;
    const { of } = pair.get();
    const name = this.name();
    const chosen = dialog.querySelector(".choice")?.contains(document.activeElement) ?? false;
    const fresh = this.turnTo(name && `${name} ${of}`, () => this.build(stageOf(pair.page, name), of));
    if (name && !dialog.open) dialog.show();
    if (!name && dialog.open) dialog.close();
    const state = this.stores[of].get();
    for (const part of this.parts) part.update(state, fresh ? undefined : this.before);
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
    const label = labelOf(store, known.name);
    const stage = of === "difference" ? signed(known) : known;
    const title = store.t("compare.of", { stage: label, of: store.t(`compare.${of}`) });
    const formula = formulas(this.stores, known);
    const header = this.header(label, [formula.root, this.choice(of)]);
    const { picture, foot, sheet, shown } = this.lay(stage, title, [header], { "aria-label": title, role: "region" });
    const own = /** @type {Part} */ ({ update: () => formula.update(), destroy: () => undefined });
    const views = [
      new Heatmap(picture, store, stage, LARGE_SIZE),
      legend(foot, store, stage),
      table(sheet, store, stage),
    ];
    return [own, shown, ...views];
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
