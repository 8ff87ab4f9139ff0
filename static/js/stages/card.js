import { setView } from "../core/actions.js";
import { formulaOf, isMap } from "../core/page.js";
import { fill, h, math } from "../lib/dom.js";
import { makeSlots } from "../lib/slots.js";
import { CARD_SIZE, Heatmap } from "../matrix/heatmap.js";
import { legend } from "../matrix/legend.js";
import { labelOf } from "../matrix/names.js";
import { shapeOf } from "../matrix/shape-text.js";

/** @param {HTMLElement} root @param {Store} store @param {Stage} stage @param [slots] @returns {Part} */
export function card(root, store, stage, slots = makeSlots()) {
  const label = labelOf(store, stage.name);
  const large = () => setView(store, { stage: stage.name });
  const shape = h("p", { class: "shape", translate: "no" });
  const picture = h("div");
  const foot = h("div");
  const formula = h("span", { class: "formula", translate: "no" });
  const head = h(
    "header",
    { class: "head" },
    h("h3", {}, h("button", { class: "name", onclick: large, title: label }, label)),
    h("button", { class: "take", "data-take": stage.name, "aria-label": store.t("share.take", { stage: label }) }, "⤓"),
    h("button", { class: "enlarge", onclick: large, "aria-label": store.t("card.enlarge", { stage: label }) }, "⤢"),
    formula,
    shape,
  );
  root.classList.add("card");
  root.dataset.stage = stage.name;
  root.dataset.kind = isMap(stage) ? "map" : "features";
  root.append(head, picture, foot, slots(`card.${stage.name}`));
  let shown = "";
  const plate = new Heatmap(picture, store, stage, CARD_SIZE);
  plate.canvas.after(slots(`plot.${stage.name}`));
  const parts = [plate, legend(foot, store, stage)];
  foot.append(slots(`legend.${stage.name}`));
  return {
    update(state, previous) {
      const drawn = formulaOf(stage, state).mathml;
      if (drawn !== shown) fill(formula, math((shown = drawn)));
      if (state.answer && state.answer !== previous?.answer) {
        fill(shape, shapeOf(state, stage));
        shape.classList.toggle("long", state.answer.reply.shape.batch > 1);
      }
      for (const part of parts) part.update(state, previous);
    },
    destroy() {
      for (const part of parts) part.destroy();
      root.replaceChildren();
    },
  };
}
