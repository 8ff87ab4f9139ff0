/** The way from x to output: one card a stage, in reading order, in three rows. */

import { drawn, has, isMap } from "../core/page.js";
import { repeatsOutput } from "../core/state.js";
import { h } from "../lib/dom.js";
import { card } from "./card.js";

/**
 * Which row a stage stands in: the maps in the second, what comes before them in the first.
 * @param {import("../core/page.js").Stage[]} stages in reading order
 * @param {number} at
 */
function rowOf(stages, at) {
  if (at < stages.findIndex(isMap)) return "project";
  return at <= stages.findLastIndex(isMap) ? "attend" : "combine";
}

/** @type {import("../core/state.js").ViewOf} */
export function pipeline(root, store) {
  const cards = new Map(
    drawn(store.page).map((stage, at, stages) => {
      const element = h("article", { hidden: ["block_output", "context"].includes(stage.name) });
      const row = root.querySelector(`[data-row="${rowOf(stages, at)}"]`);
      row?.insertBefore(element, row.querySelector("#heads"));
      return [stage.name, { element, part: card(element, store, stage) }];
    }),
  );
  return {
    update(state, previous) {
      const context = cards.get("context")?.element;
      if (context) context.hidden = !has(state.answer, "context");
      const last = cards.get("block_output")?.element;
      if (last && state.answer && state.answer !== previous?.answer) last.hidden = repeatsOutput(state);
      for (const { part } of cards.values()) part.update(state, previous);
    },
    destroy: () => cards.forEach(({ part }) => part.destroy()),
  };
}
