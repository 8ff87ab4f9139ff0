/** How several heads become one picture: their mean, their maximum, or the layers so far. */

import { look } from "../core/actions.js";
import { chosenHeads } from "../core/combined-heads.js";
import { isLong } from "../core/state.js";
import { h } from "../lib/dom.js";
import { choice, count, offer } from "../lib/select.js";
import { crosses, rolls } from "./rollout.js";

/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Store} Store */

const ROLLOUT = 2; // the third of the ways

export class CombineMenu {
  /** @param {Store} store */
  constructor(store) {
    const { t } = store;
    this.t = t;
    this.combine = choice((name) => choose(store, name), { "aria-label": t("heads.combine") });
    offer(this.combine, ["mean", "max", "rollout"], null, (name) => t(`heads.${name}`));
    this.layer = choice((index) => look(store, { layer: Number(index) }));
    this.upTo = h("label", { class: "field" }, h("span", {}, t("live.layer")), this.layer);
  }

  /** @param {State} state */
  show(state) {
    const { num_layers = 1 } = state.answer?.reply.shape ?? {};
    const now = rolls(state);
    const crossed = crosses(state);
    const rollout = this.combine.options[ROLLOUT];
    this.upTo.hidden = !now || crossed;
    rollout.hidden = num_layers < 2;
    const long = isLong(state);
    rollout.disabled = crossed || long;
    rollout.title = long ? this.t("long.short") : "";
    this.combine.value = now ? "rollout" : state.view.combine;
    this.combine.disabled = chosenHeads(state).length < 2 && num_layers < 2;
    count(this.layer, num_layers, state.view.layer, String);
  }
}

/** @param {Store} store @param {string} name */
function choose(store, name) {
  if (name === "rollout") look(store, { rollout: true });
  else look(store, { rollout: false, combine: /** @type {"mean" | "max"} */ (name) });
}
