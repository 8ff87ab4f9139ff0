/** The chosen heads as one large picture, and how the head under the pointer behaves. */

import { look } from "../data/actions.js";
import { METRICS } from "../data/address.js";
import { chosenHeads, combined } from "../data/combine.js";
import { stageOf } from "../data/page.js";
import { fill, h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { closed } from "../lib/paint.js";
import { titleOf } from "./heading.js";
import { Heatmap } from "./heatmap.js";
import { legend } from "./legend.js";
import { placeOf } from "./words.js";

/** @typedef {import("../data/state.js").State} State */

const SIZE = { most: 40, gutter: 76 };

class Together extends Heatmap {
  /** @param {State} state */
  take(state) {
    const picture = combined(state);
    if (picture !== this.picture) this.painted = "";
    return picture;
  }

  /** @param {State} state */
  describe(state) {
    super.describe(state);
    if (!this.picture) return;
    const { rows, cols } = this.picture;
    const title = titleOf(this.store, state);
    this.plot.setAttribute("aria-label", this.store.t("heads.picture", { title, rows, cols }));
  }

  /** @param {State["hover"]} cell */
  hover(cell) {
    // Other views would say the selected head's number where this picture has several.
    super.hover(cell && { stage: cell.stage, row: cell.row, col: cell.col });
  }
}

/** @type {import("../data/state.js").ViewOf} */
export function together(root, store) {
  const { t } = store;
  const title = h("h3");
  const combine = h(
    "select",
    {
      "aria-label": t("heads.combine"),
      onchange: () => look(store, { combine: /** @type {"mean" | "max"} */ (combine.value) }),
    },
    ["mean", "max"].map((name) => h("option", { value: name }, t(`heads.${name}`))),
  );
  const [picture, foot] = [h("div"), h("div")];
  const pointed = h("div", { class: "metrics" });
  const spoken = h("p", { class: "hidden", "aria-live": "polite" });
  root.append(h("header", {}, title, combine), picture, foot, pointed, spoken);
  const stage = stageOf(store.page, "weights");
  const plate = new Together(picture, store, stage, SIZE);
  const ramp = legend(foot, store, stage, combined);

  /** @param {State} state */
  function tell(state) {
    const place = state.hover?.of ?? state.view;
    const own = state.metrics?.find(({ layer, head }) => layer === place.layer && head === place.head);
    const line = (/** @type {string} */ name, /** @type {string} */ text) =>
      h("div", {}, h("dt", {}, name), h("dd", {}, text));
    fill(
      pointed,
      h("h3", {}, t("heads.one", place)),
      own && h("dl", {}, METRICS.filter((name) => own[name] !== null).map((name) => line(t(`metric.${name}`), format(own[name], 3)))),
      state.metrics?.length === 0 && h("p", { class: "muted" }, t("heads.unmeasured")),
    );
  }

  /** @param {State} state */
  function say(state) {
    const { hover } = state;
    const { picture: seen } = plate;
    if (!hover || hover.of || !seen || !plate.plot.matches(":focus")) return;
    const value = closed(seen, hover.row, hover.col) ? null : seen.values[hover.row * seen.cols + hover.col];
    spoken.textContent = `${placeOf(store, state, hover)}: ${format(value, state.view.precision)}`;
  }

  return {
    update(state, previous) {
      title.textContent = titleOf(store, state);
      combine.value = state.view.combine;
      combine.disabled = chosenHeads(state).length < 2;
      if (state.every !== previous.every) plate.draw(state);
      plate.update(state, previous);
      const others = state.every !== previous.every || state.view !== previous.view;
      ramp.update(state, others ? /** @type {State} */ ({ view: {} }) : previous);
      const turned = state.hover !== previous.hover;
      if (turned || state.metrics !== previous.metrics || state.view !== previous.view) tell(state);
      if (turned) say(state);
    },
    destroy() {
      plate.destroy();
      ramp.destroy();
      root.replaceChildren();
    },
  };
}
