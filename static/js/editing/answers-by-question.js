/** Cache of answers by question. Call `follow` with every change of the state before calling `of`. */

import { Lru } from "../lib/newest.js";
import { bodyOf } from "../core/question.js";
import { isAsking } from "../core/state.js";

const KEPT = 12; // answers in the cache

export class AnswersByQuestion {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    /** @type {Lru<Answer>} answers to the last questions only, because undo keeps hundreds of questions */
    this.answers = new Lru(KEPT);
    /** @type {WeakMap<Question, string>} */
    this.traces = new WeakMap();
    /** @type {Question | null} */
    this.last = null;
    const { question, answer, status } = store.get();
    if (answer && status === "ready") this.note(question, answer);
  }

  /** @param {State} state @param {State} [previous] */
  follow({ question, answer }, previous) {
    if (previous && answer && answer !== previous.answer) this.note(question, answer);
  }

  /** @param {Question} question @param {Answer} answer */
  note(question, answer) {
    this.answers.set(question, answer);
    this.traces.set(question, answer.reply.trace);
    this.last = question;
  }

  /** The cached answer to a question, undefined if it was evicted. @param {Question} question */
  of(question) {
    const { last, answers } = this;
    // The last question may be equal. Its answer is then used, because the page does not request it again.
    if (!answers.get(question) && last && JSON.stringify(bodyOf(last)) === JSON.stringify(bodyOf(question)))
      this.note(question, /** @type {Answer} */ (answers.get(last)));
    return answers.get(question);
  }

  /**
   * Waits for the answer to the current question. Null if the server refuses the question.
   * @returns {Promise<Answer | null>}
   */
  now() {
    const known = this.of(this.store.get().question);
    if (known) return Promise.resolve(known);
    return new Promise((resolve) => {
      const stop = this.store.subscribe((state, previous) => {
        this.follow(state, previous);
        const answer = this.of(state.question);
        if (!answer && (isAsking(state) || state.status === "ready")) return;
        stop();
        resolve(answer ?? null);
      });
    });
  }
}
