import { h } from "./dom.js";

const DOWNLOADED = 10_000; // ms; by then the browser has read the blob

/** @param {Blob} blob @param {string} name */
export function saveFile(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), DOWNLOADED);
}
