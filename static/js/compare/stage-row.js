import { signed } from "../difference/difference.js";
import { isMap } from "../core/page.js";
import { selection } from "../core/state.js";
import { fill, h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { shapeOf } from "../matrix/shape-text.js";
import { formulas } from "./pair-formula.js";
import { differenceIn } from "../difference/cell-values.js";
import { NAMES } from "./three-values.js";
import { Heatmap } from "../matrix/heatmap.js";
import { legend } from "../matrix/legend.js";
import { labelOf } from "../matrix/names.js";
import { placeOf } from "../matrix/cell-place.js";

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
