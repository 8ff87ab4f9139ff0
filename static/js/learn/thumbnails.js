/** Pictures in the table of contents, fetched when nearly visible. */

import { call } from "../core/api.js";
import { readPage } from "../core/page.js";
import { extent, paint, palette } from "../lib/paint.js";

/** @typedef {{stage: string, values: (number | null)[][]}} Glance null if masked */

const WIDE = 176; // device pixels
const HIGH = 112;

/** @param {Glance} glance */
export function pictureOf({ values }) {
  const numbers = values.flat().map((value) => value ?? -Infinity);
  return { values: numbers, rows: values.length, cols: values[0].length };
}

/** Range of the colours, as on the cards. @param {string} stage @param {Picture} picture */
export function scaleOf(stage, picture) {
  const { size } = extent(picture);
  return stage === "weights" ? { low: 0, high: 1 } : { low: -size, high: size };
}

/** @param {HTMLCanvasElement} canvas @param {Glance} glance */
function draw(canvas, glance) {
  const picture = pictureOf(glance);
  const theme = document.documentElement.dataset.theme === "dark" ? "dark" : "light";
  const use = glance.stage === "weights" ? "sequential" : "diverging";
  const cell = Math.max(1, Math.floor(Math.min(WIDE / picture.cols, HIGH / picture.rows)));
  const colors = palette(readPage().colors[theme][use]);
  paint(canvas, picture, colors, scaleOf(glance.stage, picture), picture.cols * cell, picture.rows * cell);
  canvas.dataset.drawn = glance.stage;
}

export function drawGlances() {
  /** @type {Map<HTMLCanvasElement, Glance>} */
  const drawn = new Map();
  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting || !(target instanceof HTMLCanvasElement)) continue;
        near.unobserve(target);
        show(target);
      }
    },
    { rootMargin: "200px" },
  );

  /** @param {HTMLCanvasElement} canvas stays empty on failure */
  async function show(canvas) {
    const release = encodeURIComponent(readPage().release ?? "");
    const reply = await call(`/api/v1/learn/${canvas.dataset.glance}/glance?release=${release}`).catch(() => null);
    if (!reply) return;
    const glance = /** @type {Glance} */ (await reply.json());
    drawn.set(canvas, glance);
    draw(canvas, glance);
  }

  for (const canvas of document.querySelectorAll("[data-glance]")) near.observe(canvas);
  document.addEventListener("themechange", () => drawn.forEach((glance, canvas) => draw(canvas, glance)));
}
