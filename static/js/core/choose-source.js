import { defaultModel } from "./question.js";

/**
 * Keeps the previous model as a draft. Resets `tokenizer` if the old or the new model has its own.
 * @param {Store} store @param {string} kind see `kindOf`
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

/** Source, or "installed:NAME". @param {Model} model */
export const kindOf = ({ source, name }) => (source === "installed" ? `${source}:${name}` : source);
