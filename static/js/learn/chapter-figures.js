/** Words that highlight a cell in the nearest figure. Draws and scales figures for paper. */

import { setView } from "../core/actions.js";
import { stageOf } from "../core/page.js";
import { pictureOf } from "../core/picture.js";
import { selection } from "../core/state.js";
import { find } from "../lib/dom.js";
import { shrinkage } from "../lib/paper.js";

/**
 * @typedef {{figures: Record<string, import("./lessons.js").Figure>, storeOf: (root: HTMLElement) => Store}} Chapter
 * `storeOf` draws a figure on first use
 */

/** Parses `scores,3,1`. @param {string} named */
export function cellOf(named) {
  const [stage, row, col] = named.split(",");
  return { stage, row: Number(row), col: Number(col) };
}

/** The nearest place; of two equally near, the earlier one. @param {number} from @param {number[]} places */
export const nearestOf = (from, places) =>
  places.reduce((best, place) => (Math.abs(place - from) < Math.abs(best - from) ? place : best), places[0]);

/** @param {Store} store @param {Cell} cell */
function hasCell(store, cell) {
  const state = store.get();
  const picture =
    state.answer && pictureOf(store.page, state.answer, stageOf(store.page, cell.stage), selection(state));
  return Boolean(picture && cell.row < picture.rows && cell.col < picture.cols);
}

/**
 * The figure with the stage beside the words, else the nearest.
 * @param {HTMLElement} words @param {Chapter} chapter
 */
function figureOf(words, { figures }) {
  const { stage } = cellOf(words.dataset.cell ?? "");
  const shows = (/** @type {Element} */ figure) =>
    figure instanceof HTMLElement && Boolean(figures[figure.dataset.figure ?? ""]?.stages.includes(stage));
  const beside = words.closest(".passage")?.querySelector("[data-figure]");
  if (beside instanceof HTMLElement && shows(beside)) return beside;
  const parts = [...document.querySelectorAll(".chapter :is(p, [data-figure], .equation, .worked)")];
  const places = [...parts.keys()].filter((at) => shows(parts[at]));
  const from = parts.findIndex((part) => part.contains(words));
  return /** @type {HTMLElement} */ (parts[nearestOf(from, places)]);
}

/** @param {Chapter} chapter */
export function lightWords(chapter) {
  for (const words of document.querySelectorAll("[data-cell]"))
    if (words instanceof HTMLElement) follow(words, figureOf(words, chapter), chapter.storeOf);
}

/** @param {HTMLElement} words @param {HTMLElement} figure @param {Chapter["storeOf"]} storeOf */
function follow(words, figure, storeOf) {
  const cell = cellOf(words.dataset.cell ?? "");
  const light = () => {
    const store = storeOf(figure);
    if (hasCell(store, cell)) store.set({ hover: cell });
  };
  const leave = () => storeOf(figure).set({ hover: null });
  words.addEventListener("pointerenter", light);
  words.addEventListener("pointerleave", leave);
  words.addEventListener("focus", light);
  words.addEventListener("blur", leave);
  words.addEventListener("click", () => {
    const store = storeOf(figure);
    if (!hasCell(store, cell)) return;
    setView(store, { cell });
    figure.querySelector(`[data-stage="${cell.stage}"]`)?.scrollIntoView({ block: "nearest" });
  });
}

const MOVES = ["wheel", "touchstart", "pointerdown", "keydown"];

/** Keeps the linked figure in place while others are drawn, until the reader scrolls, presses or types. */
export function holdLinkedFigure() {
  const linked = document.getElementById(location.hash.slice(1));
  if (!linked) return;
  const growth = new ResizeObserver(() => linked.scrollIntoView());
  growth.observe(find("#main"));
  for (const move of MOVES) window.addEventListener(move, () => growth.disconnect(), { once: true, passive: true });
}

// CSS pixels of a landscape sheet (letter or A4) without margins and caption.
const SHEET = { width: 940, height: 640 };
const SMALLEST = 0.6; // smallest scale; pages split figures that need less

/**
 * @param {Iterable<HTMLElement>} figures
 * @param {(figure: HTMLElement) => void} draw may finish after printing
 */
export function drawOnPaper(figures, draw) {
  const all = [...figures];
  window.addEventListener("beforeprint", () => {
    const sizes = all.map((figure) => [figure.offsetWidth, shrinkage(figure, SHEET, SMALLEST)]);
    all.forEach((figure, at) => {
      const [width, zoom] = sizes[at];
      draw(figure);
      figure.style.width = `${width}px`;
      figure.style.setProperty("--on-paper", String(zoom));
    });
  });
  window.addEventListener("afterprint", () => {
    for (const figure of all) figure.removeAttribute("style");
  });
}
