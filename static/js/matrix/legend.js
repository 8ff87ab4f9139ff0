/** The legend of a heatmap: the ramp of its colours with the values at its ends. */

import { look } from "../core/actions.js";
import { pictureOf, scaleOf } from "../core/picture.js";
import { sameNumbers, selection } from "../core/state.js";
import { gradient } from "../lib/palette.js";
import { h } from "../lib/dom.js";
import { short } from "../lib/numbers.js";
import { colorsOf } from "./colors.js";

/** @typedef {import("../core/state.js").State} State */

const RANGES = ["fixed", "row", "data"];

/**
 * @param {HTMLElement} root
 * @param {import("../core/state.js").Store} store
 * @param {import("../core/page.js").Stage} stage
 * @param {((state: State) => {size: number, most: number} | null) | null} [take] another picture than the stage's own
 * @returns {import("../core/state.js").Part}
 */
export function legend(root, store, stage, take = null) {
  const { t } = store;
  const [low, ramp, high] = [h("span", { class: "low" }), h("span", { class: "ramp" }), h("span", { class: "high" })];
  const masked = h("span", { class: "masked" }, h("i", { class: "hatch" }), t("legend.masked"));
  const ranges = h(
    "select",
    {
      "aria-label": t("legend.range"),
      onchange: () => look(store, { range: /** @type {any} */ (ranges.value) }),
    },
    RANGES.map((range) => h("option", { value: range }, t(`range.${range}`))),
  );
  const hatched = stage.name === "masked_scores" || stage.kind === "weights";
  const shares = stage.kind === "signed" && (stage.name === "scaled_scores" || stage.name === "masked_scores");
  if (shares) ramp.title = t("legend.shared");
  root.classList.add("legend");
  root.append(low, ramp, high);
  if (hatched) root.append(masked);
  if (stage.kind === "weights") root.append(ranges);

  /** @param {State} state */
  function draw(state) {
    const own = () => state.answer && pictureOf(store.page, state.answer, stage, selection(state));
    const picture = take ? take(state) : own();
    if (!picture) return;
    const scale = scaleOf(picture, stage, state.view.range);
    const colors = colorsOf(store.page, state.theme, stage.kind);
    ramp.style.backgroundImage = gradient(colors);
    low.textContent = short(scale.low, 2);
    high.textContent = scale.byRow ? t("range.row_end") : short(scale.high, 2);
    ranges.value = state.view.range;
  }
  return {
    update(state, previous) {
      const same = sameNumbers(state, previous) && state.theme === previous?.theme;
      if (!same || state.view.range !== previous?.view.range) draw(state);
    },
    destroy: () => root.replaceChildren(),
  };
}
