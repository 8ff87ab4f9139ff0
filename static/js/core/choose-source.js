import { defaultModel } from "./question.js";

/**
 * Keeps the old model as a draft. Resets `tokenizer` and `pair` if either model has its own tokenizer. If a trained
 * model lacks a word of the text, an example replaces the text.
 * @param {Store} store @param {string} kind
 */
export function chooseSource(store, kind) {
  const { question, drafts } = store.get();
  const [source, name] = kind.split(":");
  const model = drafts[kind] ?? { ...defaultModel(store.page, source), ...(name && { name }) };
  const own = /installed|trained/.test(source + question.model.source);
  const kept = { ...drafts, [kindOf(question.model)]: question.model };
  const words = { special_tokens: "model", ...(own && { tokenizer: null, pair: null }), model };
  store.set({ question: withKnownWords(store.page, { ...question, ...words }), drafts: kept });
}

/** @param {Page} page @param {Question} question */
function withKnownWords({ lessons }, question) {
  const { text, tokens, x, model } = question;
  const lesson = lessons[model.task]; // undefined for unknown tasks, which the server refuses
  if (model.source !== "trained" || tokens || x || !lesson) return question;
  const known = text.split(/\s+/).every((word) => !word || lesson.words.includes(word));
  return known ? question : { ...question, text: lesson.example };
}

/** Source, or "installed:NAME". @param {Model} model */
export const kindOf = ({ source, name }) => (source === "installed" ? `${source}:${name}` : source);
