import { sourceWords } from "../core/source-words.js";
import { find, h } from "../lib/dom.js";
import { shrinkage } from "../lib/paper.js";
import { fullLink } from "./links-and-programs.js";

// CSS pixels of a landscape sheet (letter or A4), less margins, header and tokens.
const SHEET = { width: 960, height: 490 };
const GAP = 40; // below the predictions
const SMALLEST = 0.45; // smallest scale; larger pictures continue on another page
const SIZES = /** @type {const} */ (["seed", "num_layers", "num_heads", "d_model"]);

/** @param {Store} store */
function imprint(store) {
  const { t, page } = store;
  const state = store.get();
  const { model } = state.question;
  const sizes = SIZES.filter((name) => typeof model[name] === "number").map(
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
    const frames = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".card, #large, #large > .heatmap")]);
    const sizes = frames.map(({ offsetWidth, offsetHeight }) => ({
      width: `${offsetWidth}px`,
      height: `${offsetHeight}px`,
    }));
    frames.forEach((frame, at) => {
      frame.style.width = sizes[at].width;
      if (frame.matches(".heatmap")) frame.style.height = sizes[at].height;
    });
    const scaled = ["#pipeline", "#large"].map((one) => find(one));
    const { offsetHeight } = find("#predictions");
    const room = { ...SHEET, height: SHEET.height - (offsetHeight && offsetHeight + GAP) };
    for (const one of scaled) one.style.setProperty("--on-paper", String(shrinkage(one, room, SMALLEST)));
    const line = imprint(store);
    find("#main").prepend(line);
    undo = () => {
      line.remove();
      for (const { style } of scaled) style.removeProperty("--on-paper");
      for (const { style } of frames) style.width = style.height = "";
    };
  });
  window.addEventListener("afterprint", () => undo());
}
