import { fill, h, math } from "../lib/dom.js";
import { Heatmap } from "../matrix/heatmap.js";
import { legend } from "../matrix/legend.js";
import { labelOf } from "../matrix/names.js";

const SIZE = { most: 24, gutter: 0 };

/** @type {ViewOf} */
export function parameters(root, store) {
  const title = h("h3");
  const plates = h("div", { class: "plates" });
  root.classList.add("tensors-of-layer");
  root.append(h("header", {}, title), plates);
  const cards = store.page.parameters.map((stage) => {
    const element = h("article", { hidden: true });
    plates.append(element);
    return { stage, element, part: card(element, store, stage) };
  });
  return {
    update(state, previous) {
      const { layer } = state.view;
      title.textContent = store.t("gradients.parameters", { layer });
      for (const { stage, element, part } of cards) {
        const hidden = !state.answer?.tensors.has(`layers.${layer}.${stage.name}`);
        const shown = element.hidden && !hidden;
        element.hidden = hidden;
        if (!hidden) part.update(state, shown ? undefined : previous);
      }
    },
    destroy() {
      for (const { part } of cards) part.destroy();
      root.replaceChildren();
    },
  };
}

/** @param {HTMLElement} root @param {Store} store @param {Stage} stage @returns {Part} */
function card(root, store, stage) {
  const shape = h("p", { class: "shape", translate: "no" });
  const formula = h("span", { class: "formula", translate: "no" });
  const [picture, foot] = [h("div"), h("div")];
  root.classList.add("card");
  root.dataset.stage = stage.name;
  root.dataset.kind = stage.axes.length > 1 ? "features" : "bias";
  const head = h("header", { class: "head" }, h("h3", {}, labelOf(store, stage.name)), formula, shape);
  root.append(head, picture, foot);
  const parts = [new Heatmap(picture, store, stage, SIZE), legend(foot, store, stage)];
  return {
    update(state, previous) {
      if (state.answer !== previous?.answer) {
        const sizes = state.answer?.tensors.get(`layers.${state.view.layer}.${stage.name}`)?.shape ?? [];
        fill(shape, sizes.join(" × "));
        fill(formula, math(stage.mathml));
      }
      for (const part of parts) part.update(state, previous);
    },
    destroy() {
      for (const part of parts) part.destroy();
      root.replaceChildren();
    },
  };
}
