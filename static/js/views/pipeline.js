/** The way from x to output: one card a stage, in reading order, in three rows. */

import { drawn, has } from "../data/page.js";
import { h } from "../lib/dom.js";
import { card } from "./card.js";

/** @type {Record<string, string>} which row a stage stands in */
const ROWS = {
  x: "project",
  context: "project",
  q: "project",
  k: "project",
  v: "project",
  scores: "attend",
  scaled_scores: "attend",
  masked_scores: "attend",
  weights: "attend",
  head_outputs: "combine",
  concat: "combine",
  output: "combine",
  block_output: "combine",
};

/** @type {import("../data/state.js").ViewOf} */
export function pipeline(root, store) {
  const cards = new Map(
    drawn(store.page).map((stage) => {
      const element = h("article", { hidden: ["block_output", "context"].includes(stage.name) });
      const row = root.querySelector(`[data-row="${ROWS[stage.name]}"]`);
      row?.insertBefore(element, row.querySelector("#heads"));
      return [stage.name, { element, part: card(element, store, stage) }];
    }),
  );
  return {
    update(state, previous) {
      const context = cards.get("context")?.element;
      if (context) context.hidden = !has(state.answer, "context");
      const last = cards.get("block_output")?.element;
      if (last && state.answer && state.answer !== previous.answer) {
        // With one layer of bare attention it repeats the output.
        const { num_layers } = state.answer.reply.shape;
        last.hidden = num_layers === 1 && (state.question.model.block ?? "attention") === "attention";
      }
      for (const { part } of cards.values()) part.update(state, previous);
    },
    destroy: () => cards.forEach(({ part }) => part.destroy()),
  };
}
