import { palette } from "../lib/paint.js";

/** @param {{colors: Page["colors"]}} page @param {string} theme @param {string} kind */
export function colorsOf({ colors }, theme, kind) {
  return palette(colors[theme][kind === "weights" ? "sequential" : "diverging"]);
}
