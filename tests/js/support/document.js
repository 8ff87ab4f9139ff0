/** A document of jsdom for scripts that make elements. */

import { JSDOM } from "jsdom";
import { addBrowserParts } from "../../pages/support/browser-parts.js";

const CLASSES = [
  "Node",
  "Text",
  "Element",
  "HTMLElement",
  "HTMLTableCellElement",
  "DOMParser",
  "ImageData",
  "OffscreenCanvas",
];
const EVENTS = ["Event", "CustomEvent", "KeyboardEvent", "MouseEvent", "InputEvent"];

/** Puts a new, empty document in the place of the browser's. */
export function newDocument() {
  const { window } = new JSDOM('<!doctype html><html lang="en">', { pretendToBeVisual: true });
  addBrowserParts(window, []);
  for (const name of ["document", "getComputedStyle", ...CLASSES, ...EVENTS]) globalThis[name] = window[name];
  return window.document;
}
