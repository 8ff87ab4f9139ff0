/** Which answer belongs to which question: an edit needs the numbers of the question it changes. */

import { bodyOf } from "./question.js";

/** @typedef {import("./answer.js").Answer} Answer */
/** @typedef {import("./question.js").Question} Question */
/** @typedef {import("./state.js").Store} Store */

const KEPT = 12; // answers

export class Answered {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    /** @type {Map<Question, Answer>} the last ones: undo keeps questions by the hundred */
    this.answers = new Map();
    /** @type {WeakMap<Question, string>} */
    this.traces = new WeakMap();
    /** @type {Question | null} */
    this.last = null;
    const { question, answer, status } = store.get();
    if (answer && status === "ready") this.note(question, answer);
    this.forget = store.subscribe((state, previous) => {
      if (state.answer && state.answer !== previous.answer) this.note(state.question, state.answer);
    });
  }

  /** @param {Question} question @param {Answer} answer */
  note(question, answer) {
    this.answers.delete(question);
    this.answers.set(question, answer);
    this.traces.set(question, answer.reply.trace);
    if (this.answers.size > KEPT) this.answers.delete(/** @type {Question} */ (this.answers.keys().next().value));
    this.last = question;
  }

  /**
   * The answer to a question; undefined where it is not there.
   * @param {Question} question
   */
  of(question) {
    const { last, answers } = this;
    // What the address gives back is an equal question, and is not asked again.
    if (!answers.has(question) && last && JSON.stringify(bodyOf(last)) === JSON.stringify(bodyOf(question)))
      this.note(question, /** @type {Answer} */ (answers.get(last)));
    return answers.get(question);
  }

  /**
   * The answer to what is asked now, once it is there; null where it is refused.
   * @returns {Promise<Answer | null>}
   */
  now() {
    const known = this.of(this.store.get().question);
    if (known) return Promise.resolve(known);
    return new Promise((resolve) => {
      const stop = this.store.subscribe(({ question, status }) => {
        const answer = this.of(question);
        if (!answer && (status === "asking" || status === "slow" || status === "ready")) return;
        stop();
        resolve(answer ?? null);
      });
    });
  }
}
