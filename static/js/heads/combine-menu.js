import { setView } from "../core/actions.js";
import { percent, chosenHeads } from "../core/combined-heads.js";
import { isLong } from "../core/state.js";
import { h } from "../lib/dom.js";
import { field } from "../lib/field.js";
import { makeSelect, setOptions } from "../lib/select.js";
import { offerIndices } from "../lib/count-select.js";
import { isCrossAttention, showsRollout } from "./rollout.js";

const ROLLOUT = 2; // index in the menu
const DISCARDED = [0, 0.25, 0.5, 0.75, 0.9]; // shares of the lowest weights

export class CombineMenu {
  /** @param {Store} store */
  constructor(store) {
    const { t } = store;
    this.t = t;
    this.combine = makeSelect((name) => choose(store, name), { "aria-label": t("heads.combine") });
    setOptions(this.combine, ["mean", "max", "rollout"], null, (name) => t(`heads.${name}`));
    this.layer = makeSelect((index) => setView(store, { layer: Number(index) }));
    this.upTo = field(t("live.layer"), this.layer);
    this.fused = makeSelect((name) => setView(store, { combine: /** @type {"mean" | "max"} */ (name) }));
    setOptions(this.fused, ["mean", "max"], null, (name) => t(`heads.${name}`));
    this.discard = makeSelect((share) => setView(store, { discard: Number(share) }));
    const ways = [field(t("heads.rollout_by"), this.fused), field(t("heads.rollout_discard"), this.discard)];
    this.rollout = h("p", { class: "ways" }, ways);
  }

  /** @param {State} state */
  show(state) {
    const { num_layers = 1 } = state.answer?.reply.shape ?? {};
    const { combine, discard, layer } = state.view;
    const now = showsRollout(state);
    const crossed = isCrossAttention(state);
    const rollout = this.combine.options[ROLLOUT];
    this.upTo.hidden = this.rollout.hidden = !now || crossed;
    rollout.hidden = num_layers < 2;
    const long = isLong(state);
    rollout.disabled = crossed || long;
    rollout.title = long ? this.t("long.short") : "";
    this.combine.value = now ? "rollout" : combine;
    this.combine.disabled = chosenHeads(state).length < 2 && num_layers < 2;
    offerIndices(this.layer, num_layers, layer, String);
    this.fused.value = combine;
    const shares = [...new Set([...DISCARDED, discard])].toSorted((a, b) => a - b);
    setOptions(this.discard, shares, discard, (share) => (share ? percent(share) : this.t("heads.rollout_all")));
  }
}

/** @param {Store} store @param {string} name */
function choose(store, name) {
  if (name === "rollout") setView(store, { rollout: true });
  else setView(store, { rollout: false, combine: /** @type {"mean" | "max"} */ (name) });
}
