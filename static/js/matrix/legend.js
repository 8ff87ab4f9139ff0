import { setView } from "../core/actions.js";
import { RANGES } from "../core/address/fields.js";
import { hasManyKeys, pictureOf, scaleOf } from "../core/picture.js";
import { hasSameNumbers, selection } from "../core/state.js";
import { gradient, hasClosed, middleOf } from "../lib/paint.js";
import { h } from "../lib/dom.js";
import { short } from "../lib/numbers.js";
import { makeSelect, setOptions } from "../lib/select.js";
import { colorsOf } from "./colors.js";

/**
 * `middle` is empty unless colours follow the square root.
 * @param {Store["t"]} t @param {Scale} scale
 */
export function endsOf(t, scale) {
  const high = short(scale.high, 2);
  return {
    low: short(scale.low, 2),
    middle: scale.root ? short(middleOf(scale), 2) : "",
    high: scale.byRow ? t("range.row_end") : scale.root ? t("range.root_end", { high }) : high,
  };
}

/**
 * @param {Store["t"]} t @param {string} range @param {import("../core/picture.js").Spread} picture
 */
export function rangeIn(t, range, picture) {
  if (range === "auto" && hasManyKeys(picture)) return t("range.auto_root");
  return t(`range.${range}`, { most: short(picture.most, 2) });
}

/**
 * @param {HTMLElement} root @param {Store} store @param {Stage} stage
 * @param {((state: State) => (Picture & import("../core/picture.js").Extent) | null) | null} [take]
 * default: the stage's picture @returns {Part}
 */
export function legend(root, store, stage, take = null) {
  const { t } = store;
  const [low, middle, high] = ["low", "middle", "high"].map((name) => h("span", { class: name, translate: "no" }));
  const [ramp, upper] = [h("span", { class: "ramp" }), h("span", { class: "ramp" })];
  const steps = h("span", { class: "quantised", title: t("legend.quantised_about") });
  const hatch = h("span", {}, t("legend.masked"));
  const masked = h("span", { class: "masked" }, h("i", { class: "hatch" }), hatch);
  const choose = (/** @type {any} */ range) => setView(store, { range });
  const ranges = makeSelect(choose, { "aria-label": t("legend.range"), title: t("range.about") });
  const hatched = stage.name === "masked_scores" || stage.kind === "weights";
  if (stage.kind === "signed" && /^(scaled|masked)_scores$/.test(stage.name)) ramp.title = t("legend.shared");
  root.classList.add("legend");
  root.append(low, ramp, middle, upper, high, steps);
  if (hatched) root.append(masked);
  if (stage.kind === "weights") root.append(ranges);

  /** @param {State} state */
  function draw(state) {
    const { answer } = state;
    const picture = take ? take(state) : answer && pictureOf(store.page, answer, stage, selection(state));
    if (!picture) return;
    root.dataset.trace = answer?.reply.trace;
    const scale = scaleOf(picture, stage, state.view.range);
    const colors = colorsOf(store.page, state.theme, stage.kind);
    const ends = endsOf(t, scale);
    [low.textContent, middle.textContent, high.textContent] = [ends.low, ends.middle, ends.high];
    ramp.style.backgroundImage = ends.middle ? gradient(colors, 0, 128) : gradient(colors);
    upper.style.backgroundImage = gradient(colors, 128, 255);
    middle.hidden = upper.hidden = !ends.middle;
    high.title = ends.middle && t("range.root");
    masked.hidden = !hasClosed(picture);
    hatch.textContent = t(picture.left?.length ? "legend.left_out" : "legend.masked");
    steps.textContent = picture.coarse?.label(t) ?? "";
    if (ranges.parentNode) setOptions(ranges, RANGES, state.view.range, (range) => rangeIn(t, range, picture));
  }
  return {
    update(state, previous) {
      const same = hasSameNumbers(state, previous) && state.theme === previous?.theme;
      if (!same || state.view.range !== previous?.view.range) draw(state);
    },
    destroy: () => root.replaceChildren(),
  };
}
