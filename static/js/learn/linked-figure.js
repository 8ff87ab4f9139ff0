import { find } from "../lib/dom.js";

const MOVES = ["wheel", "touchstart", "pointerdown", "keydown"];

/** Keeps the linked figure in place while others are drawn, until the reader scrolls. */
export function holdLinkedFigure() {
  const linked = document.getElementById(location.hash.slice(1));
  if (!linked) return;
  const growth = new ResizeObserver(() => linked.scrollIntoView());
  growth.observe(find("#main"));
  for (const move of MOVES) window.addEventListener(move, () => growth.disconnect(), { once: true, passive: true });
}
