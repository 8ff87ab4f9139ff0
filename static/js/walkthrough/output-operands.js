/** How one number of the output was made: w_o comes with no answer, so its operands are asked for. */

import { onProblem } from "../core/api.js";
import { cell } from "../core/traces.js";
import { bodyOf } from "../core/question.js";
import { newest } from "../lib/newest.js";

/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Explanation} Explanation */

export class OutputMade {
  /** @param {() => void} arrived */
  constructor(arrived) {
    /** @type {Explanation | null} */
    this.explanation = null;
    this.request = newest(
      (/** @type {Explanation} */ explanation) => {
        this.explanation = explanation;
        arrived();
      },
      onProblem(() => {}), // without its operands the output is told in strips
    );
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
    this.request.want(key, (signal) => {
      this.explanation = null;
      return cell(answer.reply.trace, "output", place, bodyOf(state.question), signal);
    });
    return this.explanation;
  }

  forget() {
    this.request.drop();
    this.explanation = null;
  }
}
