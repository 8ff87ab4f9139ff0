/** Prints without redrawing the pictures. */

import { sourceWords } from "../core/source-words.js";
import { find, h } from "../lib/dom.js";
import { shrinkage } from "../lib/paper.js";
import { fullLink } from "./links-and-programs.js";

// Size in CSS pixels of a landscape sheet (letter or A4), less margins, header and tokens.
const SHEET = { width: 960, height: 490 };
const SMALLEST = 0.5; // smallest scale; a picture that needs a smaller one is split
const TOLD = /** @type {const} */ (["seed", "num_layers", "num_heads", "d_model"]);

/** @param {Store} store */
function imprint(store) {
  const { t, page } = store;
  const state = store.get();
  const { model } = state.question;
  const sizes = TOLD.filter((name) => typeof model[name] === "number").map(
    (name) => `${t(`field.${name}`)} ${model[name]}`,
  );
  const name = (model.id && state.upload?.id === model.id && state.upload?.name) || (model.name ?? model.id);
  const kind = name && model.source !== "installed" ? (page.messages[`choice.name.${name}`] ?? name) : null;
  const words = [t("heads.one", state.view), sourceWords(store, model), kind, ...sizes].filter(Boolean);
  const link = fullLink(state, page);
  return h("p", { class: "imprint" }, words.join(" · "), h("br"), h("a", { href: link }, link));
}

/** @param {Store} store */
export function drawOnPaper(store) {
  let undo = () => {};
  window.addEventListener("beforeprint", () => {
    const frames = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".card, #large")]);
    const sizes = frames.map(({ offsetWidth }) => `${offsetWidth}px`);
    frames.forEach((frame, at) => (frame.style.width = sizes[at]));
    const stages = find("#pipeline");
    stages.style.setProperty("--on-paper", String(shrinkage(stages, SHEET, SMALLEST)));
    const line = imprint(store);
    find("#main").prepend(line);
    undo = () => {
      line.remove();
      stages.style.removeProperty("--on-paper");
      for (const frame of frames) frame.style.width = "";
    };
  });
  window.addEventListener("afterprint", () => undo());
}
