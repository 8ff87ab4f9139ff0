/** Asking: the question of the state goes out, the last one wins, stale answers are dropped. */

import { Answer } from "./answer.js";
import { Problem, attention } from "./api.js";
import { blamed } from "./blame.js";
import { bodyOf, guessShape, hasContext, missing, numbersIn } from "./question.js";
import { insideAnswer } from "./state.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Store} Store */

/**
 * @typedef {Object} Plan
 * @property {string} key
 * @property {Record<string, unknown>} body
 * @property {number[] | null} heads the heads asked for; null: all
 * @property {Record<string, unknown> | null} overview a second request: the weights of every head
 */

const WHOLE = 1_500_000; // numbers of a trace that is fetched in one piece
const THUMBNAILS = 2_000_000; // numbers of all maps of weights that are fetched for the selector
const PAUSE = 150; // ms of stillness before a typed question goes out, and before "slow" shows
const KEPT = 12; // answers

/**
 * @param {State} state
 * @param {import("./page.js").Page} page
 * @returns {Plan}
 */
export function planOf(state, page) {
  const { question, view } = state;
  const stages = [...page.stages.map(({ name }) => name), "context"]; // which comes where it is named
  const body = { ...bodyOf(question), ...(hasContext(question) && { stages }) };
  const shape = guessShape(question, state.answer?.reply.shape ?? null);
  const whole = JSON.stringify(body);
  if (numbersIn(shape) <= WHOLE) return { key: whole, body, heads: null, overview: null };
  const part = { layers: [view.layer], heads: [view.head] };
  const maps = shape.batch * shape.num_layers * shape.num_heads * shape.n * shape.m;
  const overview = maps <= THUMBNAILS ? { ...body, stages: ["weights"] } : null;
  return { key: JSON.stringify([whole, part]), body: { ...body, ...part }, heads: part.heads, overview };
}

/** @param {Store} store */
export function startAsking(store) {
  /** @type {Map<string, Answer>} */
  const kept = new Map();
  let current = "";
  let timer = 0;
  let controller = new AbortController();

  /** @param {State} state @param {number} pause */
  function consider(state, pause) {
    const reason = missing(state.question);
    const plan = reason ? null : planOf(state, store.page);
    const key = `${state.attempt} ${plan?.key ?? reason}`;
    if (key === current) return;
    current = key;
    clearTimeout(timer);
    controller.abort();
    controller = new AbortController();
    if (reason) store.set({ status: reason, problem: null }, { silent: true });
    else if (plan && pause) timer = window.setTimeout(() => ask(plan, controller.signal), pause);
    else if (plan) ask(plan, controller.signal);
  }

  /** @param {Plan} plan @param {AbortSignal} signal */
  async function ask(plan, signal) {
    store.set({ status: "asking" }, { silent: true });
    const slow = setTimeout(() => signal.aborted || store.set({ status: "slow" }, { silent: true }), PAUSE);
    try {
      const answer = kept.get(plan.key) ?? new Answer(await attention(plan.body, signal), plan.heads);
      if (signal.aborted) return;
      clearTimeout(slow); // the overview that may follow keeps nobody waiting
      remember(plan.key, answer);
      show(answer);
      if (plan.overview) await lookOver(plan.overview, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      store.set({ status: "failed", problem: blamed(store.page, store.get().question, error) }, { silent: true });
    } finally {
      clearTimeout(slow);
    }
  }

  /** @param {Answer} answer */
  function show(answer) {
    const view = insideAnswer(store.get(), answer);
    const overview = answer.heads ? store.get().overview : null;
    store.set({ answer, view, overview, status: "ready", problem: null }, { replace: true });
  }

  /** @param {Record<string, unknown>} body @param {AbortSignal} signal */
  async function lookOver(body, signal) {
    const key = JSON.stringify(body);
    const overview = kept.get(key) ?? new Answer(await attention(body, signal), null);
    remember(key, overview);
    if (!signal.aborted) store.set({ overview }, { silent: true });
  }

  /** @param {string} key @param {Answer} answer */
  function remember(key, answer) {
    kept.delete(key);
    kept.set(key, answer);
    if (kept.size > KEPT) kept.delete(/** @type {string} */ (kept.keys().next().value));
  }

  store.subscribe((state, previous, how) => {
    const looked = state.view.layer !== previous.view.layer || state.view.head !== previous.view.head;
    const asked = state.question !== previous.question || state.attempt !== previous.attempt;
    if (asked || looked) consider(state, how.typing ? PAUSE : 0);
  });
  consider(store.get(), 0);
}
