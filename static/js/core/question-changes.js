/** Changes of the question. */

/** @typedef {import("./state.js").Store} Store */
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
