import { MLP, stagesOn, isMap } from "../core/page.js";
import { shownStages } from "../core/state.js";
import { h } from "../lib/dom.js";
import { makeSlots } from "../lib/slots.js";
import { card } from "./card.js";

/**
 * Name of a stage's row.
 * @param {Stage[]} stages in reading order @param {number} at
 */
function rowOf(stages, at) {
  if (at < stages.findIndex(isMap)) return "project";
  if (MLP.includes(stages[at].name)) return "mlp";
  return at <= stages.findLastIndex(isMap) ? "attend" : "combine";
}

/**
 * @param {HTMLElement} root @param {Store} store @param {Slots} [slots]
 * @param {(view: typeof card) => typeof card} [weights] wraps the card of the weights @returns {Part}
 */
export function pipeline(root, store, slots = makeSlots(), weights = (view) => view) {
  const row = (/** @type {string} */ name) => root.querySelector(`[data-row="${name}"]`);
  const cards = new Map(
    stagesOn(store.page).map((stage, at, stages) => {
      const element = h("article");
      const place = row(rowOf(stages, at));
      place?.insertBefore(element, place.querySelector("#heads"));
      const view = stage.name === "weights" ? weights(card) : card;
      return [stage.name, { element, part: view(element, store, stage, slots) }];
    }),
  );
  return {
    update(state, previous) {
      if (state.answer !== previous?.answer) {
        const seen = shownStages(store.page, state).map(({ name }) => name);
        for (const [name, { element }] of cards) element.hidden = !seen.includes(name);
        const output = /** @type {{element: HTMLElement}} */ (cards.get("block_output")).element;
        const last = row(seen.includes(MLP[0]) ? "mlp" : "combine");
        if (output.parentElement !== last) last?.append(output); // move it back to the end
      }
      for (const { part } of cards.values()) part.update(state, previous);
    },
    destroy: () => cards.forEach(({ part }) => part.destroy()),
  };
}
