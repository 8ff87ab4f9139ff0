/** How one number of the output was made: w_o comes with no answer, so its operands are asked for. */

import { Problem, cell } from "./api.js";
import { bodyOf } from "./question.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Explanation} Explanation */

export class OutputMade {
  /** @param {() => void} arrived */
  constructor(arrived) {
    this.arrived = arrived;
    this.asked = "";
    /** @type {Explanation | null} */
    this.explanation = null;
    this.controller = new AbortController();
  }

  /**
   * The explanation; null while it is on its way.
   * @param {State} state
   * @param {{row: number, out: number}} subject
   */
  of(state, { row, out }) {
    const { answer, view } = state;
    if (!answer) return null;
    const place = { batch: view.batch, layer: view.layer, head: 0, row, col: out };
    const key = JSON.stringify([answer.reply.trace, place]);
    if (key !== this.asked) {
      this.forget();
      this.asked = key;
      this.ask(answer.reply.trace, place, state);
    }
    return this.explanation;
  }

  /** @param {string} trace @param {Record<string, number>} place @param {State} state */
  async ask(trace, place, state) {
    const { signal } = (this.controller = new AbortController());
    try {
      this.explanation = await cell(trace, "output", place, bodyOf(state.question), signal);
      this.arrived();
    } catch (problem) {
      // Without its operands the output is told in strips.
      if (!signal.aborted && !(problem instanceof Problem)) throw problem;
    }
  }

  forget() {
    this.controller.abort();
    this.explanation = null;
  }
}
