/**
 * What the pages use and jsdom lacks: a canvas, media queries, observers, dialogs. There is no layout: every box has
 * BOX pixels on each side, and an element is visible unless it, or something around it, is hidden or closed.
 */

import { addLabels } from "./labels.js";
import "./lazy-styles.js";
import { parseFast } from "./parse-html.js";
import { selectFast } from "./selectors.js";
import { isShown, styleOf } from "./shown.js";

export const BOX = 720; // pixels

// Pixels for a heatmap with its labels: few of its cells have room for their number, an element each.
const HEATMAP = 240;

const rect = (side = BOX) => ({ x: 0, y: 0, left: 0, top: 0, right: side, bottom: side, width: side, height: side });

/** Drawing context that keeps the last image drawn, one point per cell, and ignores strokes and texts. */
class Ink {
  /** @param {{painted: object | null}} canvas */
  constructor(canvas) {
    this.canvas = canvas;
  }

  putImageData(image) {
    this.canvas.painted = image;
  }

  drawImage(source, ...place) {
    Object.assign(this.canvas, { painted: source.painted ?? source, place });
  }

  transferFromImageBitmap(bitmap) {
    this.canvas.painted = bitmap;
  }

  clearRect() {
    this.canvas.painted = null;
  }

  createPattern = () => ({ setTransform: () => undefined });

  measureText = (text) => ({ width: 6.5 * [...text].length, actualBoundingBoxAscent: 8, actualBoundingBoxDescent: 2 });
}
const STROKES = ["arc", "beginPath", "bezierCurveTo", "clip", "closePath", "fill", "fillRect", "fillText", "lineTo"];
const MORE = ["moveTo", "rect", "resetTransform", "restore", "rotate", "save", "scale", "setLineDash", "setTransform"];
const LAST = ["stroke", "strokeRect", "strokeText", "translate", "quadraticCurveTo"];
for (const name of [...STROKES, ...MORE, ...LAST]) Ink.prototype[name] = () => undefined;

class Path2D {
  moveTo() {}
  lineTo() {}
  bezierCurveTo() {}
}

class ImageData {
  constructor(width, height) {
    Object.assign(this, { width, height, data: new Uint8ClampedArray(4 * width * height) });
  }
}

class OffscreenCanvas {
  painted = null;

  constructor(width, height) {
    Object.assign(this, { width, height });
  }

  getContext() {
    return (this.ink ??= new Ink(this));
  }

  transferToImageBitmap() {
    return this.painted;
  }
}

/** Reports the size of each element once. */
class ResizeObserver {
  constructor(callback) {
    this.callback = callback;
  }

  observe(target) {
    const { heatmapSide } = target.ownerDocument.defaultView;
    const contentRect = rect(target.classList.contains("heatmap") ? heatmapSide : BOX);
    queueMicrotask(() => this.callback([{ target, contentRect }], this));
  }

  unobserve() {}
  disconnect() {}
}

/** Reports once whether each element is visible. */
class IntersectionObserver {
  constructor(callback) {
    this.callback = callback;
  }

  observe(target) {
    const isIntersecting = target.checkVisibility();
    queueMicrotask(() => this.callback([{ target, isIntersecting, intersectionRatio: Number(isIntersecting) }], this));
  }

  unobserve() {}
  disconnect() {}
}

const NODE = ["Headers", "Request", "Response", "ReadableStream", "TransformStream", "TextEncoder", "TextDecoder"];
const ALSO = ["CompressionStream", "DecompressionStream", "structuredClone", "File", "URLSearchParams"];

/** Makes forms of node, whose fetch can send their files; some versions send no subclass of them. @param {any} window */
const formsOf = ({ FormData: Own }) =>
  function (form) {
    const made = new FormData();
    if (form) for (const [name, value] of new Own(form)) made.append(name, value);
    return made;
  };

/**
 * @param {any} window of jsdom
 * @param {string[]} media queries that hold, as the page writes them
 * @param {number} [heatmapSide] pixels for a heatmap with its labels
 */
export function addBrowserParts(window, media, heatmapSide = HEATMAP) {
  window.heatmapSide = heatmapSide;
  for (const name of [...NODE, ...ALSO]) window[name] = globalThis[name];
  window.FormData = formsOf(window);
  // Addresses as node reads them: jsdom reads them letter by letter. A class a window, as tests replace its methods.
  window.URL = class URL extends globalThis.URL {};
  Object.assign(window, { Path2D, ImageData, OffscreenCanvas, ResizeObserver, IntersectionObserver });
  window.matchMedia = (query) =>
    Object.assign(new window.EventTarget(), { media: query, matches: media.includes(query) });
  window.getComputedStyle = styleOf;
  window.scrollTo = window.scrollBy = () => undefined;
  selectFast(window);
  addLabels(window);
  parseFast(window);
  const { Element, HTMLCanvasElement, HTMLDialogElement } = window;
  HTMLCanvasElement.prototype.getContext = OffscreenCanvas.prototype.getContext;
  HTMLCanvasElement.prototype.painted = null;
  HTMLCanvasElement.prototype.toDataURL = () => "data:image/png;base64,";
  Object.assign(Element.prototype, {
    getBoundingClientRect: () => rect(),
    scrollIntoView: () => undefined,
    setPointerCapture: () => undefined,
    releasePointerCapture: () => undefined,
    hasPointerCapture: () => false,
    checkVisibility() {
      return isShown(this);
    },
  });
  for (const side of ["clientWidth", "clientHeight", "offsetWidth", "offsetHeight"])
    Object.defineProperty(window.HTMLElement.prototype, side, {
      get() {
        return this.checkVisibility() ? BOX : 0;
      },
    });
  Object.assign(HTMLDialogElement.prototype, {
    show() {
      this.open = true;
    },
    showModal() {
      this.open = true;
    },
    close() {
      if (!this.open) return;
      this.open = false;
      queueMicrotask(() => this.dispatchEvent(new window.Event("close")));
    },
  });
}
