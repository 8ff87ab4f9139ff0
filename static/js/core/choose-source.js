/** Choice of the source of the weights. */

import { defaultModel } from "./question.js";

/** @typedef {import("./state.js").Store} Store */

/**
 * Change the source; drafts of the others are kept. Models with their own tokenizer set and reset `tokenizer`, and with
 * it a second sentence.
 * @param {Store} store @param {string} kind as `kindOf` returns it
 */
export function chooseSource(store, kind) {
  const { question, drafts } = store.get();
  const [source, name] = kind.split(":");
  const model = drafts[kind] ?? { ...defaultModel(store.page, source), ...(name && { name }) };
  const own = /installed|trained/.test(source + question.model.source);
  const kept = { ...drafts, [kindOf(question.model)]: question.model };
  const words = { special_tokens: "model", ...(own && { tokenizer: null, pair: null }), model };
  store.set({ question: { ...question, ...words }, drafts: kept });
}

/** The chosen option: a source, or "installed:NAME". @param {import("./question.js").Model} model */
export const kindOf = ({ source, name }) => (source === "installed" ? `${source}:${name}` : source);
