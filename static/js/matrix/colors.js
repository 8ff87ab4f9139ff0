/** The colours of a stage: weights run from nothing to one, whatever has a sign from minus to plus. */

import { palette } from "../lib/palette.js";

/**
 * @param {{colors: import("../core/page.js").Page["colors"]}} page
 * @param {string} theme
 * @param {string} kind of a stage
 */
export function colorsOf({ colors }, theme, kind) {
  return palette(colors[theme][kind === "weights" ? "sequential" : "diverging"]);
}
