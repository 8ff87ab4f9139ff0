/** Cache of answers by question. Call `follow` with every state before `of`. */

import { Lru } from "../lib/newest.js";
import { bodyOf } from "../core/question.js";
import { isAsking } from "../core/state.js";

const KEPT = 12; // answers

export class AnswersByQuestion {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    /** @type {Lru<Answer>} bounded: undo keeps hundreds of questions */
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

  /** Cached answer, if any. @param {Question} question */
  of(question) {
    const { last, answers } = this;
    // The page does not request an equal question again: use its answer.
    if (!answers.get(question) && last && JSON.stringify(bodyOf(last)) === JSON.stringify(bodyOf(question)))
      this.note(question, /** @type {Answer} */ (answers.get(last)));
    return answers.get(question);
  }

  /** Waits for the answer; null if the server refuses the question. @returns {Promise<Answer | null>} */
  waitForAnswer() {
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
