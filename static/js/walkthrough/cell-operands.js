/** Fetches operands that no answer contains: columns of w_q and w_o. */

import { onProblem } from "../core/api.js";
import { requestCell } from "../core/traces.js";
import { bodyOf } from "../core/question.js";
import { newest } from "../lib/newest.js";

export class CellExplanation {
  /** @param {() => void} arrived */
  constructor(arrived) {
    /** @type {Explanation | null} */
    this.explanation = null;
    this.request = newest(
      (/** @type {Explanation} */ explanation) => {
        this.explanation = explanation;
        arrived();
      },
      onProblem(() => {}), // after errors, chapters draw strips instead
    );
  }

  /** Null while pending. @param {State} state @param {{stage: string, head: number, row: number, col: number}} of */
  of(state, { stage, ...cellOf }) {
    const { answer, view } = state;
    if (!answer) return null;
    const place = { batch: view.batch, layer: view.layer, ...cellOf };
    const key = JSON.stringify([answer.reply.trace, stage, place]);
    this.request.want(key, (signal) => {
      this.explanation = null;
      return requestCell(answer.reply.trace, stage, place, bodyOf(state.question), signal);
    });
    return this.explanation;
  }

  forget() {
    this.request.drop();
    this.explanation = null;
  }
}
