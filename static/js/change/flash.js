/** Flashes changed cells once, unless motion is reduced. */

import { comparable, noiseOf } from "./previous-answer.js";
import { pictureOf } from "../core/picture.js";
import { shownStages, selection } from "../core/state.js";
import { s } from "../lib/svg.js";

/** @param {Store} store @param {(stage: string) => HTMLElement} over returns the overlay of a stage @returns {Part} */
export function flash(store, over) {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  /** @type {Element[]} */
  let lit = [];

  function end() {
    for (const each of lit) each.remove();
    lit = [];
  }

  /** @param {State} state @param {Answer} before @param {Answer} now */
  function light(state, before, now) {
    end();
    for (const stage of shownStages(store.page, state)) {
      const [was, is] = [before, now].map((answer) => pictureOf(store.page, answer, stage, selection(state)));
      if (was?.coarse || is?.coarse) continue;
      const path = was && is && changed(was.values, is, noiseOf(now, Math.max(was.size, is.size)));
      if (!path) continue;
      const mark = markOf(path, is);
      over(stage.name).append(mark);
      lit.push(mark);
    }
  }

  return {
    update(state, previous) {
      const [answer, before] = [state.answer, previous?.answer];
      if (!answer || !before || answer === before || answer.reply.trace === before.reply.trace) return;
      if (still.matches || state.view.tab !== "stages" || state.view.present || !comparable(before, answer)) return;
      light(state, before, answer);
    },
    destroy: end,
  };
}

/** SVG path around runs of changed cells. @param {ArrayLike<number>} was @param {Picture} is @param {number} noise */
function changed(was, { values, rows, cols }, noise) {
  const other = (/** @type {number} */ at) =>
    !Object.is(was[at], values[at]) && !(Math.abs(was[at] - values[at]) <= noise);
  let path = "";
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) {
      const from = col;
      while (col < cols && other(row * cols + col)) col++;
      if (col > from) path += `M${from} ${row}h${col - from}v1h${from - col}z`;
    }
  }
  return path;
}

/** @param {string} d @param {Size} picture */
function markOf(d, { rows, cols }) {
  const box = { class: "flash", viewBox: `0 0 ${cols} ${rows}`, preserveAspectRatio: "none", "aria-hidden": "true" };
  const svg = s("svg", box, s("path", { d }));
  svg.addEventListener("animationend", () => svg.remove());
  return svg;
}
