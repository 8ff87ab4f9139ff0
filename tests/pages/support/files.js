/** Files of weights: made, dropped on a page, and sent by it. */

import { file as safetensors } from "../../js/support/made.js";

/**
 * Numbers between −1 and 1, each time the same.
 * @param {...number} shape
 */
export function tensor(...shape) {
  const count = shape.reduce((product, size) => product * size, 1);
  return { shape, values: Array.from({ length: count }, (_, at) => Math.sin(7 * at + count)) };
}

/** The identity of a size. @param {number} size */
export const identity = (size) => ({
  shape: [size, size],
  values: Array.from({ length: size * size }, (_, at) => Number(at % (size + 1) === 0)),
});

/**
 * A .safetensors file.
 * @param {string} name
 * @param {Record<string, {shape: number[], values: number[]}>} tensors
 * @param {Record<string, string>} [metadata]
 */
export const weightsFile = (name, tensors, metadata = {}) => new File([safetensors(metadata, tensors)], name);

/** A layer with the names of this program: d_model 6, and 4 columns for the heads. @param {Record<string, string>} [metadata] */
export const smallFile = (metadata) =>
  weightsFile(
    "small.safetensors",
    { w_q: tensor(6, 4), w_k: tensor(6, 4), w_v: tensor(6, 4), w_o: tensor(4, 6) },
    metadata,
  );

/**
 * Drops files on the page.
 * @param {import("./page.js").Page} page
 * @param {...File} files
 */
export const drop = (page, ...files) => dropAt(page, page.one("main"), ...files);

/**
 * Drops files on an element.
 * @param {import("./page.js").Page} page
 * @param {Element} place
 * @param {...File} files
 * @returns {boolean[]} whether the page takes them: as they enter, while they are over it, and once dropped
 */
export function dropAt(page, place, ...files) {
  const items = files.map((file) => ({ kind: "file", webkitGetAsEntry: () => null, getAsFile: () => file }));
  const dataTransfer = { types: ["Files"], files, items };
  return ["dragenter", "dragover", "drop"].map((type) => {
    const event = new page.window.Event(type, { bubbles: true, cancelable: true });
    return !place.dispatchEvent(Object.assign(event, { dataTransfer }));
  });
}
