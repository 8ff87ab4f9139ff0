import { PreviousHeads } from "./previous-heads.js";
import { showsRollout } from "../heads/rollout.js";
import { valueIn } from "../difference/cell-values.js";
import { headsChangeStore } from "./changed-stores.js";
import { fill, h } from "../lib/dom.js";
import { bothIn, writeBoth } from "./changed-stage.js";
import { tiles } from "../heads/head-tiles.js";
import { CombinedMap, CombinedHeatmap } from "../heads/combined-map.js";

/** @typedef {import("./previous-heads.js").AllHeadsChange} EveryChange */

class ChangedTogether extends CombinedHeatmap {
  /** @param {State} state */
  changeIn({ every }) {
    return /** @type {EveryChange | undefined} */ (/** @type {unknown} */ (every?.answer));
  }

  /** @param {State} state */
  take(state) {
    const picture = this.changeIn(state)?.together(state)?.change ?? null;
    if (picture !== this.picture) this.painted = "";
    return picture;
  }

  /** @param {State} state */
  light(state) {
    super.light(state);
    const change = this.changeIn(state);
    const pair = change?.together(state);
    if (!change || !pair) return;
    const weights = { ...this.stage, kind: /** @type {const} */ ("weights") };
    writeBoth(this, state, (at) => {
      const values = [pair.was, pair.now].map((picture) => valueIn(picture, at));
      return bothIn(this.store, state, weights, values, change.noise);
    });
  }
}

/** @param {Slots} slots @param {Store} store @param {import("./previous-answer.js").PreviousAnswer} before @param {() => void} arrived */
export function changedHeads(slots, store, before, arrived) {
  const { t } = store;
  const seen = headsChangeStore(store);
  const every = new PreviousHeads(before, arrived);
  const notes = h("p", { class: "muted" });
  const [board, side] = [h("div", { class: "board change" }), h("div", { class: "together card change" })];
  /** @type {Part[]} */
  let parts = [];
  /** @type {State | undefined} */
  let drawn;

  /** @param {State} state @param {EveryChange} change */
  function writeNotes(state, change) {
    const across = showsRollout(state);
    side.hidden = across;
    const scale = t(change.isSame(state.view.batch) ? "change.heads_same" : "change.heads_scale");
    const said = [scale, t("change.heads_metrics"), across && t("change.heads_rollout")];
    fill(notes, ...said.map((text) => text && h("span", {}, text)));
  }

  function build() {
    slots("heads.about").append(notes);
    slots("heads").append(board, side);
    drawn = undefined;
    return [tiles(board, seen.store), new CombinedMap(side, seen.store, ChangedTogether)];
  }

  function clear() {
    for (const part of parts.splice(0)) part.destroy();
    for (const each of [notes, board, side]) each.remove();
  }

  return {
    problem: () => every.problem,
    /**
     * @param {State | null} state null removes the change
     * @param {Answer | null} answer the previous answer; null while it is pending
     */
    update(state, answer) {
      const change = state && every.of(state, answer);
      if (!state || every.problem || before.problem) return clear();
      if (!change) return; // pending: keep the tiles
      seen.change = change;
      writeNotes(state, change);
      if (!parts.length) parts = build();
      const previous = drawn;
      drawn = seen.store.get();
      for (const part of parts) part.update(drawn, previous);
    },
    destroy: clear,
  };
}
