/**
 * Which answer each part of the page shows. A part names in `data-trace` the traces that it is drawn from, and the
 * sentence of the batch where it is of one: "1a2b… batch=0". While the answer to the question is not among them, the
 * part is marked with `data-other`, and the style sheet dims it.
 */

import { asksForHeads } from "../core/state.js";

/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Store} Store */

/** Parts that are drawn only from the answer in the state. */
const DRAWN = ["looks", "tokens", "pipeline", "panels", "first", "since", "large", "present"];
const BATCH = "batch=";

/**
 * Whether a part shows the present answer.
 * @param {string} shown traces, and the sentence of the batch
 * @param {string} trace of the present answer; "" where the question has none yet
 * @param {number} batch
 */
export function isPresent(shown, trace, batch) {
  const words = shown.split(" ");
  return words.includes(trace) && words.every((word) => !word.startsWith(BATCH) || word === `${BATCH}${batch}`);
}

/**
 * Follows the states of a store, each of which it has to be given.
 * @param {State} first
 * @returns {(state: State) => string} the trace of the answer to the question; "" before it arrives
 */
export function tracing({ question: first }) {
  let answered = first;
  return (state) => {
    const { answer, question, status } = state;
    if (status === "ready") answered = question;
    const open = question !== answered || status === "failed" || asksForHeads(state);
    return open ? "" : (answer?.reply.trace ?? "");
  };
}

/** @param {Store} store */
export function markOthers(store) {
  const traceOf = tracing(store.get());
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
    for (const id of answer ? DRAWN : []) {
      const part = document.getElementById(id);
      if (part && part.dataset.trace !== answer?.reply.trace) part.dataset.trace = answer?.reply.trace;
    }
    const now = `${traceOf(state)} ${view.batch}`;
    if (now === key) return;
    key = now;
    mark();
  }

  // A part with a reply of its own names its trace itself.
  const observed = { subtree: true, attributeFilter: ["data-trace"] };
  new MutationObserver(mark).observe(document.body, observed);
  store.subscribe(update);
  update(store.get());
}
