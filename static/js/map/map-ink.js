const NAMES = /** @type {const} */ (["surface", "sunken", "ink", "muted", "line", "accent", "query", "key", "hatch"]);

/** @param {HTMLElement} element @returns {Maps.Ink} */
export function inkOf(element) {
  const style = getComputedStyle(element);
  const colors = NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]);
  return { ...Object.fromEntries(colors), family: style.fontFamily };
}

const PERIOD = 6; // pixels between lines

/** @param {CanvasRenderingContext2D} context @param {Maps.Ink} ink */
export function hatchOf(context, { sunken, hatch }) {
  const tile = new OffscreenCanvas(PERIOD, PERIOD);
  const pen = /** @type {OffscreenCanvasRenderingContext2D} */ (tile.getContext("2d"));
  pen.fillStyle = sunken;
  pen.fillRect(0, 0, PERIOD, PERIOD);
  pen.strokeStyle = hatch;
  for (const at of [-PERIOD, 0, PERIOD]) {
    pen.moveTo(at - 1, PERIOD + 1);
    pen.lineTo(at + PERIOD + 1, -1);
  }
  pen.stroke();
  return /** @type {CanvasPattern} */ (context.createPattern(tile, "repeat"));
}
