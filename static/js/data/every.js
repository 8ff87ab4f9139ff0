/**
 * The weights of every head and how each behaves, fetched when a view first needs them. They are
 * pictures and sums: where the question leaves it open they come as float32, half the bytes.
 */

import { Answer } from "./answer.js";
import { Problem, attention, heads as fetchHeads } from "./api.js";
import { planOf } from "./asking.js";
import { bodyOf, guessShape, missing } from "./question.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Store} Store */
/** @typedef {import("./state.js").Every} Every */

const MOST = 16_000_000; // numbers of all maps of weights; beyond that one layer, or one head

/** @type {WeakSet<Store>} */
const started = new WeakSet();

/**
 * How much can be had at once: every layer, the selected layer, or the selected head alone.
 * @param {State} state
 * @returns {"all" | "layer" | "head"}
 */
export function reach({ answer }) {
  return answer ? reachOf(answer.reply.shape) : "head";
}

/**
 * @param {{batch: number, num_layers: number, num_heads: number, n: number, m?: number}} shape
 * @returns {"all" | "layer" | "head"}
 */
function reachOf({ batch, num_layers, num_heads, n, m = n }) {
  const layer = batch * num_heads * n * m;
  return layer * num_layers <= MOST ? "all" : layer <= MOST ? "layer" : "head";
}

/**
 * What an answer's mask looks like: it is the same for every head, and comes with whole stages alone.
 * @param {State} state
 * @param {Answer} answer
 * @returns {Every}
 */
function everyOf(state, answer) {
  const { layer, head } = state.view;
  return { answer, masked: { answer: /** @type {Answer} */ (state.answer), layer, head } };
}

/**
 * The request for the weights of all layers or of the selected one, as float32 where that is left open.
 * @param {Pick<State, "question" | "view">} state
 * @param {"all" | "layer"} far
 */
export function requestOf({ question, view }, far) {
  const part = far === "layer" ? { layers: [view.layer] } : {};
  return { dtype: "float32", ...bodyOf(question), ...part, stages: ["weights"] };
}

/**
 * Before the first answer its size can only be guessed: where it will not come whole, all heads are
 * asked for at the same time.
 * @param {Store} store
 * @param {AbortSignal} signal
 */
function askAhead(store, signal) {
  const state = store.get();
  const { question, view } = state;
  if (view.tab === "stages" || question.model.source !== "seeded" || missing(question)) return null;
  const far = reachOf(guessShape(question, null));
  if (far === "head" || !planOf(state, store.page).heads) return null;
  const asked = requestOf(state, far);
  const bytes = attention(asked, signal);
  bytes.catch(() => null); // whoever waits for it is told
  return { key: JSON.stringify(asked), bytes };
}

/** @param {Store} store */
export function startEvery(store) {
  if (started.has(store)) return;
  started.add(store);
  let wanted = "";
  let measured = "";
  let controller = new AbortController();
  let measuring = new AbortController();
  const early = new AbortController();
  let ahead = store.get().answer ? null : askAhead(store, early.signal);

  /** @param {State} state */
  async function consider(state) {
    const { answer, view } = state;
    if (view.tab === "stages" || !answer) return;
    const far = reach(state);
    const key = [state.attempt, answer.reply.trace, far, far === "layer" && view.layer, far === "head" && view.head].join();
    if (key === wanted) return measure(state);
    wanted = key;
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    if (!answer.heads || far === "head") return show(everyOf(state, answer));
    try {
      const asked = requestOf(state, far);
      const all = new Answer(await (expected(asked) ?? attention(asked, signal)), null);
      if (!signal.aborted) show(everyOf(state, all));
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      show(everyOf(state, answer));
    }
  }

  /**
   * The reply asked for ahead, once, if it is to the same request.
   * @param {Record<string, unknown>} asked
   */
  function expected(asked) {
    const found = ahead?.key === JSON.stringify(asked) ? ahead.bytes : null;
    if (!found) early.abort();
    ahead = null;
    return found;
  }

  /** @param {Every} every */
  function show(every) {
    store.set({ every, metrics: null }, { silent: true });
    measured = "";
    measure(store.get());
  }

  /** @param {State} state */
  async function measure({ every, view, question }) {
    if (!every) return;
    const { trace } = every.answer.reply;
    const key = `${trace} ${view.batch}`;
    if (key === measured) return;
    measured = key;
    const body = trace === every.masked.answer.reply.trace ? {} : { dtype: "float32" };
    measuring.abort();
    measuring = new AbortController();
    const { signal } = measuring;
    try {
      const metrics = await fetchHeads(trace, view.batch, { ...body, ...bodyOf(question) }, signal);
      if (!signal.aborted) store.set({ metrics }, { silent: true });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      store.set({ metrics: [] }, { silent: true });
    }
  }

  store.subscribe((state, previous) => {
    if (state.answer !== previous.answer || state.view !== previous.view || state.attempt !== previous.attempt)
      consider(state);
  });
  consider(store.get());
}
