/** Labels and their controls as in jsdom, which walks through the whole document for each of them. */

import wrappers from "jsdom/lib/jsdom/living/generated/utils.js";

const CONTROLS = "button, input:not([type=hidden]), meter, output, progress, select, textarea";
/** @type {WeakMap<any, {version: number, byId: Map<string, any[]>}>} */
const known = new WeakMap();

/** The labels of a document that name a control, by its id: found anew after each change. @param {any} document */
function labelsById(document) {
  const { _version: version } = wrappers.implForWrapper(document);
  let found = known.get(document);
  if (found?.version !== version) {
    found = { version, byId: new Map() };
    for (const label of document.querySelectorAll("label[for]")) {
      const id = label.getAttribute("for");
      found.byId.set(id, [...(found.byId.get(id) ?? []), label]);
    }
    known.set(document, found);
  }
  return found.byId;
}

/** @this {any} a control */
function labelsOf() {
  if (!this.matches(CONTROLS)) return null;
  const around = this.closest("label");
  const named = (this.id && labelsById(this.ownerDocument).get(this.id)) || [];
  return [...named, ...(around?.control === this ? [around] : [])];
}

/** @this {any} a label */
function controlOf() {
  const id = this.getAttribute("for");
  if (id === null) return this.querySelector(CONTROLS);
  const named = this.ownerDocument.getElementById(id);
  return named?.matches(CONTROLS) ? named : null;
}

/** @param {any} window of jsdom */
export function addLabels(window) {
  for (const name of ["Button", "Input", "Select", "TextArea"])
    Object.defineProperty(window[`HTML${name}Element`].prototype, "labels", { get: labelsOf });
  Object.defineProperty(window.HTMLLabelElement.prototype, "control", { get: controlOf });
}
