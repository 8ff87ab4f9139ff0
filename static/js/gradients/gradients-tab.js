import { refusal } from "../core/refusal-words.js";
import { isTooLong } from "../core/longest-text.js";
import { isAsking } from "../core/state.js";
import { derivativeStore, startDeriving } from "./derivatives.js";
import { fill, h } from "../lib/dom.js";
import { jacobian } from "./softmax-jacobian.js";
import { large } from "../stages/large-stage.js";
import { ObjectiveView } from "./objective.js";
import { parameters } from "./parameter-gradients.js";
import { pipeline } from "../stages/pipeline.js";
import { cellAnnouncer } from "../matrix/announce-cell.js";

const ROWS = ["project", "attend", "combine", "mlp"];

/** @type {ViewOf} */
export function gradients(root, store) {
  const seen = derivativeStore(store, redraw);
  const [choices, plate, tensors, voice] = [h("div"), h("article"), h("section"), h("div", { class: "hidden" })];
  const dialog = h("dialog", { class: "derived" });
  const trouble = h("p", { class: "error", role: "status" });
  const rows = ROWS.map((name) => h("div", { class: "row", "data-row": name }));
  const ways = h("div", { class: "ways-back" }, rows);
  root.classList.add("gradients");
  const under = h("div", { class: "row under" }, plate, tensors);
  root.append(choices, trouble, ways, under, dialog, voice);
  const parts = [
    new ObjectiveView(choices, store, seen),
    pipeline(ways, seen.store),
    jacobian(plate, store, seen),
    parameters(tensors, seen.store),
    large(dialog, seen.store),
    cellAnnouncer(voice, seen.store),
  ];
  for (const button of ways.querySelectorAll(".take")) button.remove(); // exports the stage, not its derivative
  const names = store.page.stages.map(({ name }) => name);
  const ask = startDeriving(names, (answer, problem) => {
    seen.answer = answer ?? seen.answer;
    for (const each of [choices, ways, under]) each.hidden = !seen.answer;
    for (const each of answer ? [choices, ways, under] : []) each.dataset.trace = answer?.of.reply.trace;
    fill(trouble, problem && refusal(store, problem));
    redraw();
  });
  /** @type {State | undefined} */
  let drawn;

  function redraw() {
    if (store.get().view.tab !== "gradients" || !seen.answer || store.get().answer?.numbers) return;
    const previous = drawn;
    drawn = seen.store.get();
    for (const part of parts) part.update(drawn, previous);
  }

  return {
    update(state) {
      if (state.view.tab !== "gradients" || isTooLong("gradients", state)) return;
      if (!state.answer || state.answer.numbers) return;
      // Until the reply, the answer belongs to the previous question.
      if (!isAsking(state)) ask(state);
      redraw();
    },
    destroy() {
      for (const part of parts) part.destroy();
      root.replaceChildren();
    },
  };
}
