import { asQuestion } from "./question.js";

/**
 * @param {Store} store @param {string} path such as `causal` or `model.seed` @param {unknown} value @param {How} [how]
 */
export function setField(store, path, value, how) {
  const { question } = store.get();
  const [field, inner] = path.split(".");
  const next = inner ? { ...question.model, [inner]: value } : value;
  const words = field === "context" && { context_x: null, context_tokens: null };
  store.set({ question: { ...question, ...words, [field]: next } }, how);
}

/** @param {Store} store @param {Question} question @param {How} [how] */
export const setQuestion = (store, question, how) => store.set({ question }, how);

/** @param {Store} store @param {Record<string, unknown>} body */
export function openQuestion(store, body) {
  const { view } = store.get();
  const fresh = {
    ...view,
    batch: 0,
    layer: 0,
    head: 0,
    chosen: undefined,
    cell: null,
    after: null,
    heads: [],
    picked: null,
    stage: null,
    place: null,
  };
  store.set({ question: asQuestion(store.page, body), view: fresh, trail: [], hover: null });
}
