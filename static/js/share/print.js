/**
 * On paper: pictures in light colours, in the proportions they have on the screen, for no picture is made anew there,
 * and what only controls show on the screen.
 */

import { sourceWords } from "../core/source-words.js";
import { find, h } from "../lib/dom.js";
import { fullLink } from "./links-and-programs.js";

// CSS pixels of a sheet of letter paper or A4 on its side, less margins, header and tokens.
const SHEET = { width: 960, height: 490 };
const SMALLEST = 0.5; // below it numbers are too small to read, and a second sheet is better
const TOLD = /** @type {const} */ (["seed", "num_layers", "num_heads", "d_model"]);

/**
 * What the controls say on the screen: layer, head and model, and where the page is.
 * @param {import("../core/state.js").Store} store
 */
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

/**
 * How much smaller the stages are drawn, so that a row is not parted and the last one not left alone.
 * @param {HTMLElement} stages as they are laid out on the screen; nothing of them is seen where a tab is
 */
function shrinkage({ offsetWidth, offsetHeight }) {
  const high = SHEET.height / offsetHeight;
  return Math.min(1, SHEET.width / offsetWidth, high < SMALLEST ? 1 : high);
}

/** @param {import("../core/state.js").Store} store */
export function drawOnPaper(store) {
  /** @type {() => void} */
  let undo = () => {};
  window.addEventListener("beforeprint", () => {
    const root = document.documentElement;
    const theme = root.dataset.theme ?? "light";
    const frames = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".card, #large")]);
    const sizes = frames.map(({ offsetWidth }) => `${offsetWidth}px`);
    frames.forEach((frame, at) => (frame.style.width = sizes[at]));
    const stages = find("#pipeline");
    stages.style.setProperty("--on-paper", String(shrinkage(stages)));
    const told = imprint(store);
    find("#main").prepend(told);
    show("light");
    undo = () => {
      told.remove();
      stages.style.removeProperty("--on-paper");
      for (const frame of frames) frame.style.width = "";
      show(theme);
    };
  });
  window.addEventListener("afterprint", () => undo());

  /** @param {string} theme */
  function show(theme) {
    document.documentElement.dataset.theme = theme;
    store.set({ theme }, { silent: true });
  }
}
