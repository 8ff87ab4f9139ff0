import { extent } from "../lib/paint.js";
import { newest } from "../lib/newest.js";
import { Answer } from "../core/answer.js";
import { attention, onProblem } from "../core/api.js";
import { fetchTrace, questionOf } from "../core/traces.js";
import { planOf } from "../core/asking.js";
import { Difference } from "../difference/difference.js";
import { stageOf } from "../core/page.js";
import { pictureOf } from "../core/picture.js";
import { bodyOf, asQuestion } from "../core/question.js";

/** @typedef {import("../editing/apply-edit.js").Bench} Bench */
/** @typedef {import("../core/answer.js").Selection} Selection */

/** @type {readonly string[]} tabs that draw a change */
export const SHOWN_IN = ["stages", "heads"];
const ROUNDING = { F64: 1e-12, F32: 1e-6 }; // share of the largest number

/** @param {Answer} answer @param {number} size */
export const noiseOf = ({ tensors }, size) =>
  size * ([...tensors.values()].some(({ values }) => values instanceof Float64Array) ? ROUNDING.F64 : ROUNDING.F32);

/** Whether two answers have equal shapes and text lengths. @param {Answer} a @param {Answer} b */
export function comparable({ reply: a }, { reply: b }) {
  const sizes = [a, b].map(({ shape, lengths, context_lengths }) => JSON.stringify([shape, lengths, context_lengths]));
  return sizes[0] === sizes[1];
}

/** A difference whose colour range ignores rounding errors. */
export class Change extends Difference {
  /** @param {Stage} stage @param {Selection} selection */
  extent(stage, selection) {
    const block = this.block(stage, selection);
    const own = block ? extent(block) : { size: 0, most: 0 };
    const size = this.sizeOf(stage, selection);
    return own.size > noiseOf(this.b, size) ? own : { size: size || 1, most: size || 1 };
  }

  /** @param {Stage} stage @param {Selection} selection */
  sizeOf(stage, selection) {
    const plain = stageOf(this.page, stage.name);
    return Math.max(...[this.a, this.b].map((each) => pictureOf(this.page, each, plain, selection)?.size ?? 0));
  }

  /** Whether no cell changed by more than a rounding error. @param {Stage} stage @param {Selection} selection */
  isStill(stage, selection) {
    const { max = 0 } = this.measure(stage, selection) ?? {};
    return max <= noiseOf(this.b, this.sizeOf(stage, selection));
  }

  /** @param {Stage} stage @param {Selection} selection */
  isSame(stage, selection) {
    return this.isStill(stage, selection) && this.maskedOnce(stage, selection) === 0;
  }
}

/** @param {Bench} bench */
export function lastTrace({ store, answered }) {
  const { answer, steps } = store.get();
  const asked = steps.past.findLast((question) => answered.traces.has(question));
  return (asked && answered.traces.get(asked)) ?? answer?.reply.trace ?? null;
}

/**
 * The last trace. An opened link has no steps: then the trace without dropped heads.
 * @param {Bench} bench @throws {Problem}
 */
export async function firstTrace(bench) {
  const { question, steps } = bench.store.get();
  const linked = question.drop.length > 0 && steps.past.length === 0;
  return linked ? fetchTrace(bodyOf({ ...question, drop: [] })) : lastTrace(bench);
}

/** Steps since the trace; null if no step has it. @param {Bench} bench @param {string} trace */
export function stepsSince({ store, answered }, trace) {
  const { answer, steps } = store.get();
  if (answer?.reply.trace === trace) return 0;
  const at = steps.past.findLastIndex((question) => answered.traces.get(question) === trace);
  return at < 0 ? null : steps.past.length - at;
}

export class AnswerRequest {
  /** @param {() => void} arrived */
  constructor(arrived) {
    this.asked = "";
    /** @type {Answer | null} null while pending */
    this.answer = null;
    /** @type {Problem | null} */
    this.problem = null;
    /** @param {Partial<AnswerRequest>} found */
    const come = (found) => {
      Object.assign(this, found);
      arrived();
    };
    this.request = newest(
      (/** @type {Answer} */ answer) => come({ answer }),
      onProblem((problem) => come({ problem })),
    );
  }

  /**
   * @param {string} key @param {(signal: AbortSignal) => Promise<Answer>} ask
   * @param {() => Answer | null} [held] answer that needs no request
   */
  want(key, ask, held = () => null) {
    if (key === this.asked) return;
    Object.assign(this, { asked: key, answer: held(), problem: null });
    if (this.answer) this.request.drop();
    else this.request.want(key, ask);
  }
}

export class PreviousAnswer extends AnswerRequest {
  /** @param {Bench} bench @param {() => void} arrived */
  constructor(bench, arrived) {
    super(arrived);
    this.bench = bench;
    /** @type {{trace: string, question: Question} | null} */
    this.named = null;
  }

  /** Answer of `view.since`; null while pending, and for pictures. @param {State} state */
  of(state) {
    const { view, answer, attempt } = state;
    if (!view.since || !answer || answer.numbers) return null;
    const key = JSON.stringify([view.since, attempt, answer.heads && [view.layer, view.head]]);
    const { since } = view;
    this.want(
      key,
      (signal) => this.find(state, since, signal),
      () => this.held(state, since),
    );
    return this.answer?.at(view.layer) ?? null;
  }

  /** @param {State} state @param {string} trace */
  held({ answer }, trace) {
    if (answer?.reply.trace === trace) return answer;
    const known = this.known(trace);
    const held = known && this.bench.answered.answers.get(known);
    return held && !held.heads ? held : null;
  }

  /** @param {State} state @param {string} trace @param {AbortSignal} signal */
  async find(state, trace, signal) {
    const question = await this.questionOf(trace);
    const { body, heads } = planOf({ ...state, question }, this.bench.store.page);
    return new Answer(await attention(body, signal), heads);
  }

  /** @param {string} trace */
  known(trace) {
    const { store, answered } = this.bench;
    const { question, steps } = store.get();
    const asked = [...steps.past, ...steps.future, question];
    return asked.findLast((each) => answered.traces.get(each) === trace);
  }

  /** @param {string} trace @throws {Problem} */
  async questionOf(trace) {
    const known = this.known(trace) ?? (this.named?.trace === trace ? this.named.question : null);
    if (known) return known;
    const question = asQuestion(this.bench.store.page, await questionOf(trace));
    this.named = { trace, question };
    return question;
  }
}
