import { h } from "../lib/dom.js";
import { context } from "./context.js";
import { hasPairBox } from "./second-sentence.js";
import { textBox } from "./text-box.js";

/** @type {import("./text-box.js").Side} */
const PAIR = {
  field: "pair",
  x: "x",
  tokens: "tokens",
  says: ["pair.placeholder", "", ""],
  typed: (text) => text || null, // an empty box means no second sentence
};

/** @type {ViewOf} */
export function extraTextBoxes(root, store) {
  const parts = [second(root, store), context(root, store)];
  return {
    update: (state, previous) => parts.forEach((part) => part.update(state, previous)),
    destroy: () => parts.forEach((part) => part.destroy()),
  };
}

/** @type {ViewOf} */
function second(root, store) {
  const line = h("div", { class: "second" });
  if (root.dataset.side) line.dataset.side = root.dataset.side;
  const field = textBox(line, store, PAIR);
  root.append(line);
  return {
    update(state, previous) {
      line.hidden = !hasPairBox(store.page, state.question);
      field.update(state, previous);
    },
    destroy: () => line.remove(),
  };
}
