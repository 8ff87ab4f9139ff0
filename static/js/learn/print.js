/** Figures on paper keep the width that they are drawn for, and are made smaller as a whole. */

import { shrinkage } from "../lib/paper.js";

// CSS pixels of a landscape sheet (letter or A4), less margins and a caption.
const SHEET = { width: 940, height: 640 };
const SMALLEST = 0.6; // below this a figure goes on over the next sheet

/**
 * @param {Iterable<HTMLElement>} figures
 * @param {(figure: HTMLElement) => void} draw begins; a figure that is not ready says so on paper
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
