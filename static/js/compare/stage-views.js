import { formulaOf, isMap, stageOf } from "../core/page.js";
import { selection } from "../core/state.js";
import { differenceIn } from "../difference/cell-values.js";
import { signed } from "../difference/difference.js";
import { fill, h, math } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { placeOf } from "../matrix/cell-text.js";
import { Heatmap } from "../matrix/heatmap.js";
import { LARGE_SIZE, LargeDialog, table } from "../matrix/large-dialog.js";
import { legend } from "../matrix/legend.js";
import { labelOf } from "../matrix/names.js";
import { shapeOf } from "../matrix/shape-text.js";
import { showsStage } from "./pair.js";
import { NAMES } from "./three-values.js";

/**
 * @param {Record<"a" | "b", Store>} stores @param {Stage} stage
 */
export function formulas(stores, stage) {
  const root = h("span", { class: "formula", translate: "no" });
  let shown = "";
  return {
    root,
    update() {
      const [a, b] = [stores.a, stores.b].map((store) => formulaOf(stage, store.get()).mathml);
      if (a + b === shown) return;
      shown = a + b;
      const side = (/** @type {"a" | "b"} */ name, /** @type {string} */ formula) =>
        h("span", {}, h("b", {}, stores.a.t(`compare.${name}`)), " ", math(formula));
      fill(root, a === b ? math(a) : [side("a", a), side("b", b)]);
    },
  };
}

const SIZE = { most: 40, gutter: 78 };

/**
 * @param {HTMLElement} root @param {import("./pair.js").PairStore} pair
 * @param {import("./three-values.js").Stores} stores @param {Stage} stage
 */
export function stageRow(root, pair, stores, stage) {
  const { t } = stores.difference;
  const label = labelOf(stores.difference, stage.name);
  const summary = h("p", { class: "difference" });
  const formula = formulas(stores, stage);
  const three = h("div", { class: "three" });
  const parts = NAMES.map((name) => {
    const store = stores[name];
    const own = name === "difference" ? signed(stage) : stage;
    const [picture, foot, shape] = [h("div"), h("div"), h("span", { class: "shape", translate: "no" })];
    const large = () => pair.set({ of: name, view: { ...pair.get().view, stage: stage.name } });
    const enlarge = t("compare.enlarge", { stage: label, of: t(`compare.${name}`) });
    const button = h("button", { class: "enlarge", onclick: large, "aria-label": enlarge, title: enlarge }, "⤢");
    const title = h("figcaption", {}, h("b", {}, t(`compare.${name}`)), shape, button);
    three.append(
      h("figure", { "data-of": name, role: "group", "aria-label": t(`compare.${name}`) }, title, picture, foot),
    );
    const views = [new Heatmap(picture, store, own, SIZE), legend(foot, store, own)];
    if (name === "difference") {
      const masked = foot.querySelector(".masked") ?? foot.appendChild(h("span", { class: "masked" }));
      fill(masked, h("i", { class: "hatch" }), t("compare.hatched"));
    }
    /** @param {State} state @param {State} [previous] */
    const update = (state, previous) => {
      if (state.answer && state.answer !== previous?.answer && name !== "difference")
        fill(shape, shapeOf(state, stage));
      for (const view of views) view.update(state, previous);
    };
    return { store, update };
  });
  root.classList.add("card", "contrast");
  root.dataset.stage = stage.name;
  root.dataset.kind = isMap(stage) ? "map" : "features";
  root.id = `stage-${stage.name}`;
  root.append(h("header", {}, h("h3", {}, label), formula.root, summary), three);
  const before = /** @type {(State | undefined)[]} */ (parts.map(() => undefined));
  return {
    update() {
      formula.update();
      parts.forEach(({ store, update }, index) => {
        const state = store.get();
        update(state, before[index]);
        before[index] = state;
      });
      const state = stores.difference.get();
      const measure = differenceIn(state)?.measure(stage, selection(state));
      summary.textContent = measure ? sum(stores.difference, state, stage, measure) : "";
    },
  };
}

/** @param {Store} store @param {State} state @param {Stage} stage @param {import("../difference/difference.js").Measure} measure */
function sum(store, state, stage, { max, mean, cells, row, col, masked }) {
  const { t } = store;
  const { precision } = state.view;
  const once = masked ? ` ${t("compare.masked", { n: masked })}` : "";
  if (!cells) return t("compare.nothing") + once;
  if (max === 0) return t("compare.equal") + once;
  const where = placeOf(store, state, { stage: stage.name, row, col });
  const values = { max: format(max, precision), mean: format(mean, precision), where };
  return t("compare.sum", values) + once;
}

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
      const choose = (/** @type {{currentTarget: HTMLElement}} */ { currentTarget }) => {
        currentTarget.focus(); // Safari gives a pressed button no focus, and the chosen one takes it from here
        pair.set({ of: name }, { replace: true });
      };
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
