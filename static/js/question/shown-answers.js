/**
 * Sets `data-other` on parts that show another answer. Their `data-trace` lists traces, such as "1a2b… batch=0" for one
 * sentence.
 */

import { asksHeadCount } from "../core/state.js";

/** Ids of elements that draw the answer in the state. */
const ANSWER_ELEMENTS = ["looks", "tokens", "pipeline", "panels", "first", "since", "large", "present"];
const BATCH = "batch=";

/** @param {string} shown value of data-trace @param {string} trace of the question, or "" @param {number} batch */
export function isPresent(shown, trace, batch) {
  const words = shown.split(" ");
  return words.includes(trace) && words.every((word) => !word.startsWith(BATCH) || word === `${BATCH}${batch}`);
}

/**
 * Returns a function to call with every state. It returns the question's trace, or "" while its answer is missing.
 * @param {State} first @returns {(state: State) => string}
 */
export function trackTrace({ question: first }) {
  let answered = first;
  return (state) => {
    const { answer, question, status } = state;
    if (status === "ready") answered = question;
    const open = question !== answered || status === "failed" || asksHeadCount(state);
    return open ? "" : (answer?.reply.trace ?? "");
  };
}

/** @param {Store} store */
export function markOthers(store) {
  const traceOf = trackTrace(store.get());
  let key = "";

  function mark() {
    const [trace, batch] = key.split(" ");
    const parts = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-trace], [data-other]"));
    for (const part of parts) {
      const shown = part.dataset.trace;
      part.toggleAttribute("data-other", shown !== undefined && !isPresent(shown, trace, Number(batch)));
    }
  }

  /** @param {State} state */
  function update(state) {
    const { answer, view } = state;
    for (const id of answer ? ANSWER_ELEMENTS : []) {
      const part = document.getElementById(id);
      if (part && part.dataset.trace !== answer?.reply.trace) part.dataset.trace = answer?.reply.trace;
    }
    const now = `${traceOf(state)} ${view.batch}`;
    if (now === key) return;
    key = now;
    mark();
  }

  // Other elements set `data-trace` themselves.
  const observed = { subtree: true, attributeFilter: ["data-trace"] };
  new MutationObserver(mark).observe(document.body, observed);
  store.subscribe(update);
  update(store.get());
}
