/** Scales figures for paper without redrawing them. */

import { shrinkage } from "../lib/paper.js";

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
