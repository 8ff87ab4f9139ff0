import { isClosed, extent } from "../lib/paint.js";
import { Answer } from "../core/answer.js";
import { attention } from "../core/api.js";
import { AnswerRequest, noiseOf } from "./previous-answer.js";
import { combinedPicture, weightsOf } from "../core/combined-heads.js";
import { requestOf, headScope } from "../core/heads-request.js";

/**
 * Difference of two weight maps. Cells closed in both are closed; a masked weight counts as 0.
 * @param {SizedPicture} was @param {SizedPicture} now
 */
export function mapDifference(was, now) {
  return Float64Array.from({ length: now.values.length }, (_, at) => {
    const [row, col] = [Math.floor(at / now.cols), at % now.cols];
    return isClosed(was, row, col) && isClosed(now, row, col) ? -Infinity : now.values[at] - was.values[at];
  });
}

/** Change of all heads' weights, with methods of an answer. */
export class AllHeadsChange {
  /** @param {Every} was @param {Every} now */
  constructor(was, now) {
    this.was = was;
    this.now = now;
    const { reply, heads } = now.answer;
    this.heads = heads;
    this.reply = { ...reply, trace: `${was.answer.reply.trace} ${reply.trace}` };
    this.noise = noiseOf(now.answer, 1); // no weight exceeds 1
    /** @type {Map<number, number>} */
    this.largest = new Map();
    /** @type {{was: SizedPicture, now: SizedPicture, change: SizedPicture} | null} combined heads */
    this.pair = null;
    // No mask is needed, as `mapDifference` closes cells.
    const masked = { ...now.masked, answer: { reply: now.masked.answer.reply, block: () => null } };
    this.every = /** @type {Every} */ (/** @type {unknown} */ ({ answer: this, masked }));
  }

  /** @param {State} state @param {(state: State) => SizedPicture | null} take */
  both(state, take) {
    const view = { ...state.view, skip: [] }; // a change leaves out no keys
    return [this.was, this.now].map((every) =>
      take(/** @type {State} */ (/** @type {unknown} */ ({ ...state, view, every, answer: every.masked.answer }))),
    );
  }

  /** @param {unknown} _ @param {import("../core/combined-heads.js").Place & {batch: number}} place */
  block(_, { batch, ...place }) {
    const [was, now] = this.both(/** @type {State} */ ({ view: { batch } }), (each) => weightsOf(each, place));
    return was && now && { rows: now.rows, cols: now.cols, values: mapDifference(was, now) };
  }

  /** @param {State} state */
  together(state) {
    const [was, now] = this.both(state, combinedPicture);
    if (!was || !now) return null;
    if (this.pair?.was === was && this.pair.now === now) return this.pair;
    const span = this.extent(null, state.view);
    this.pair = { was, now, change: { ...now, holes: null, values: mapDifference(was, now), ...span } };
    return this.pair;
  }

  /** @param {number} batch */
  largestIn(batch) {
    const known = this.largest.get(batch);
    if (known !== undefined) return known;
    const { num_layers, num_heads } = this.reply.shape;
    const sizes = Array.from({ length: num_layers * num_heads }, (_, at) => {
      const block = this.block(null, { batch, layer: Math.floor(at / num_heads), head: at % num_heads });
      return block ? extent(block).size : 0;
    });
    const largest = Math.max(...sizes);
    this.largest.set(batch, largest);
    return largest;
  }

  /** All heads share one colour range. @param {unknown} _ @param {{batch: number}} place */
  extent(_, { batch }) {
    const size = this.isSame(batch) ? 1 : this.largestIn(batch);
    return { size, most: size };
  }

  /** @param {number} batch */
  isSame(batch) {
    return this.largestIn(batch) <= this.noise;
  }
}

export class PreviousHeads extends AnswerRequest {
  /** @param {import("./previous-answer.js").PreviousAnswer} before @param {() => void} arrived */
  constructor(before, arrived) {
    super(arrived);
    this.before = before;
    /** @type {AllHeadsChange | null} */
    this.change = null;
  }

  /** Null, or the last change of `every`, while pending. @param {State} state @param {Answer | null} before */
  of(state, before) {
    const { every, view, answer } = state;
    if (!every || every.answer.numbers || every.masked.answer.reply.trace !== answer?.reply.trace) return null;
    const whole = every.answer === every.masked.answer; // then `before` has the same heads
    if (!whole && view.since) this.ask(state, view.since);
    const all = whole ? before : this.answer;
    if (!before || !all) return this.change?.now === every ? this.change : null;
    const { was, now } = this.change ?? {};
    if (was?.answer !== all || was.masked.answer !== before || now !== every) {
      const { layer, head } = view;
      this.change = new AllHeadsChange({ answer: all, masked: { answer: before, layer, head } }, every);
    }
    return this.change;
  }

  /** @param {State} state @param {string} trace */
  ask(state, trace) {
    const far = headScope(state, this.before.bench.store.page);
    const key = JSON.stringify([trace, far, far === "all" || state.view.layer, state.attempt]);
    this.want(key, async (signal) => {
      const question = await this.before.questionOf(trace);
      const body = requestOf({ ...state, question }, far === "all" ? far : "layer");
      return new Answer(await attention(body, signal), null);
    });
  }
}
