/** What a hand can do to the state. */

import { merged } from "./question.js";

/** @typedef {import("./state.js").Store} Store */
/** @typedef {import("./address/address.js").Cell} Cell */
/** @typedef {import("../lib/store.js").How} How */

/**
 * Sets one field of the question; `model.seed` reaches into the model.
 * @param {Store} store
 * @param {string} path
 * @param {unknown} value
 * @param {How} [how]
 */
export function ask(store, path, value, how) {
  const { question } = store.get();
  const [field, inner] = path.split(".");
  const next = inner ? { ...question.model, [inner]: value } : value;
  const words = field === "context" && { context_x: null, context_tokens: null }; // they give way to words
  store.set({ question: { ...question, ...words, [field]: next } }, how);
}

/**
 * Asks another question as a whole.
 * @param {Store} store
 * @param {import("./question.js").Question} question
 * @param {How} [how]
 */
export const askWhole = (store, question, how) => store.set({ question }, how);

/**
 * Asks the same question once more.
 * @param {Store} store
 */
export const askAgain = (store) => store.set({ attempt: store.get().attempt + 1 }, { silent: true });

/**
 * Types a sentence, a context, or a second sentence: words take the place of numbers and of given tokens.
 * @param {Store} store
 * @param {string | null} text
 * @param {How} how
 * @param {{field: string, x: string, tokens: string}} names
 */
export function say(store, text, how, { field, x, tokens }) {
  const { question } = store.get();
  store.set({ question: { ...question, [field]: text, [x]: null, [tokens]: null } }, how);
}

/**
 * Opens a prepared question and looks at it afresh.
 * @param {Store} store
 * @param {Record<string, unknown>} body
 */
export function open(store, body) {
  const { view } = store.get();
  const fresh = {
    ...view,
    batch: 0,
    layer: 0,
    head: 0,
    cell: null,
    after: null,
    heads: [],
    picked: null,
    stage: null,
    place: null,
  };
  store.set({ question: merged(store.page, body), view: fresh, trail: [], hover: null });
}

/**
 * Changes what is looked at.
 * @param {Store} store
 * @param {Partial<import("./address/address.js").View>} patch
 * @param {How} [how] `replace` while a slider is held, or where something moves by itself
 */
export function look(store, patch, how) {
  store.set({ view: { ...store.get().view, ...patch } }, how);
}

/**
 * Pins a cell, or lets go of it when it is pinned already.
 * @param {Store} store
 * @param {Cell} cell
 */
export function pin(store, { stage, row, col }) {
  const { view } = store.get();
  const again = view.cell?.stage === stage && view.cell.row === row && view.cell.col === col;
  store.set({ view: { ...view, cell: again ? null : { stage, row, col }, after: null }, trail: [] });
}
