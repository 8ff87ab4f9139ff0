/** The chosen heads as one large picture, and how the head under the pointer behaves. */

import { look } from "../data/actions.js";
import { METRICS } from "../data/address.js";
import { chosenHeads, combined } from "../data/combine.js";
import { stageOf } from "../data/page.js";
import { crosses, keyOf, rolled, rolls } from "../data/rolling.js";
import { wanting } from "../data/told.js";
import { fill, h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { closed } from "../lib/paint.js";
import { choice, count } from "./choices.js";
import { titleOf } from "./heading.js";
import { Heatmap } from "./heatmap.js";
import { legend } from "./legend.js";
import { placeOf } from "./words.js";

/** @typedef {import("../data/state.js").State} State */

const SIZE = { most: 40, gutter: 76 };

/**
 * The chosen heads, or the layers so far.
 * @param {import("../data/state.js").Store} store
 * @param {State} state
 */
const calledOf = (store, state) =>
  rolls(state) ? store.t("heads.rollout_of", { layer: state.view.layer }) : titleOf(store, state);

export class Together extends Heatmap {
  /** @type {{key: string, picture: import("../data/rolling.js").Whole} | null} */
  layers = null;

  /** @param {State} state */
  take(state) {
    const across = this.layers?.key === keyOf(state) ? this.layers.picture : null;
    const picture = rolls(state) ? across : combined(state);
    if (picture !== this.picture) this.painted = "";
    return picture;
  }

  /** @param {State} state */
  describe(state) {
    super.describe(state);
    if (!this.picture) return;
    const { rows, cols } = this.picture;
    const title = calledOf(this.store, state);
    this.plot.setAttribute("aria-label", this.store.t("heads.picture", { title, rows, cols }));
  }

  /** @param {State["hover"]} cell */
  hover(cell) {
    // Other views would say the selected head's number where this picture has several.
    super.hover(cell && { stage: cell.stage, row: cell.row, col: cell.col });
  }
}

/**
 * @param {HTMLElement} root
 * @param {import("../data/state.js").Store} store
 * @param {typeof Together} [Kind] of picture
 * @returns {import("../data/state.js").Part}
 */
export function together(root, store, Kind = Together) {
  const { t } = store;
  const title = h("h3");
  const combine = choice((name) => {
    const rollout = name === "rollout";
    look(store, rollout ? { rollout } : { rollout, combine: /** @type {"mean" | "max"} */ (name) });
  });
  combine.setAttribute("aria-label", t("heads.combine"));
  fill(combine, ["mean", "max", "rollout"].map((name) => h("option", { value: name }, t(`heads.${name}`))));
  const layer = choice((index) => look(store, { layer: Number(index) }));
  const upTo = h("label", { class: "field" }, h("span", {}, t("live.layer")), layer);
  const assumed = h("p", { class: "muted" }, t("heads.rollout_told"));
  const trouble = h("p", { class: "error", role: "status" });
  const [picture, foot] = [h("div"), h("div")];
  const pointed = h("div", { class: "metrics" });
  const spoken = h("p", { class: "hidden", "aria-live": "polite" });
  root.append(h("header", {}, title, upTo, combine), assumed, trouble, picture, foot, pointed, spoken);
  const stage = stageOf(store.page, "weights");
  const plate = new Kind(picture, store, stage, SIZE);
  const ramp = legend(foot, store, stage, (state) => plate.take(state));
  const fresh = /** @type {State} */ (/** @type {unknown} */ ({ view: {} }));
  /** @type {{key: string, message: string} | null} */
  let failed = null;
  let wanted = "";
  const want = wanting(
    (/** @type {NonNullable<Together["layers"]>} */ found) => {
      plate.layers = found;
      redraw();
    },
    (problem) => {
      failed = { key: wanted, message: problem.message || t("problem.offline") };
      redraw();
    },
  );

  function redraw() {
    const state = store.get();
    across(state);
    plate.draw(state);
    ramp.update(state, fresh);
  }

  /** @param {State} state */
  function across(state) {
    const { num_layers = 1 } = state.answer?.reply.shape ?? {};
    const now = rolls(state);
    const key = keyOf(state);
    const crossed = crosses(state);
    upTo.hidden = assumed.hidden = !now || crossed;
    combine.options[2].hidden = num_layers < 2;
    combine.value = now ? "rollout" : state.view.combine;
    combine.disabled = chosenHeads(state).length < 2 && num_layers < 2;
    count(layer, num_layers, state.view.layer, String);
    combine.options[2].disabled = crossed;
    const why = crossed ? t("heads.rollout_context") : failed?.key === key ? failed.message : "";
    trouble.textContent = now ? why : "";
    picture.hidden = foot.hidden = Boolean(trouble.textContent);
    root.toggleAttribute("data-rollout", now);
    root.toggleAttribute("data-pending", now && !crossed && plate.layers?.key !== key);
    if (!now || crossed) return;
    wanted = key;
    want(key, async () => ({ key, picture: await rolled(state) }));
  }

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
      title.textContent = calledOf(store, state);
      across(state);
      if (state.every !== previous.every) plate.draw(state);
      plate.update(state, previous);
      const others = state.every !== previous.every || state.view !== previous.view;
      ramp.update(state, others ? fresh : previous);
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
