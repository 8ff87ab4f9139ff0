/** Converts the state from pieces to words and back. */

import { LeftOutAnswer, leftOutKeys } from "./left-out-keys.js";
import { spansOf, hasPieces, WordAnswer } from "./word-answer.js";
import { replyAt, wholeOf } from "./answer.js";
import { sides, stageOf } from "./page.js";

/** @typedef {(axis: string, at: number) => number} Move */

const ONE_HEAD = ["stages", "map"];

/** Query parameters that merge pieces to words. @param {State} state in words @returns {Record<string, string>} */
export const mergingOf = ({ answer, view: { keys, queries } }) =>
  answer?.reply.merged ? { tokens: "words", keys, queries } : {};

export class WordLens {
  /** @type {WeakMap<State, State>} */
  seen = new WeakMap();
  /** @type {WeakMap<object, Map<string, any>>} */
  made = new WeakMap();

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
  }

  /** @param {State} state */
  wordState(state) {
    const known = this.seen.get(state) ?? this.project(state);
    this.seen.set(state, known);
    return known;
  }

  /** @param {State} state @returns {State} */
  ofWeights(state) {
    const seen = this.wordState(state);
    const keys = leftOutKeys(seen);
    const { answer } = seen;
    if (!answer || answer.numbers || !keys.length || !ONE_HEAD.includes(seen.view.tab)) return seen;
    return this.computeOnce(seen, "", () => {
      const past = this.computeOnce(answer, `past ${keys}`, () => new LeftOutAnswer(answer, keys));
      return { ...seen, answer: /** @type {any} */ (past) };
    });
  }

  /** @param {State} state */
  project(state) {
    const { answer, every, overview, view } = state;
    // Pictures cannot be merged from pieces to words.
    const whole = answer && hasPieces(answer.reply) && !answer.numbers;
    if (view.tokens !== "words" || !whole || view.since || view.step) return state;
    const of = (/** @type {Answer} */ each) => this.answerOf(each, view);
    const move = this.toWords(state);
    const key = `${view.keys} ${view.queries}`;
    return {
      ...state,
      answer: of(answer),
      overview: overview && (overview.numbers ? overview : of(overview)),
      every: every && this.computeOnce(every, `${key} ${view.layer}`, () => everyOf(every, of)),
      view: this.computeOnce(view, answer.reply.trace, () => this.viewOf(view, move)),
      hover: state.hover && this.computeOnce(state.hover, answer.reply.trace, () => this.cellOf(state.hover, move)),
      pointed: state.pointed && this.computeOnce(state.pointed, answer.reply.trace, () => pointOf(state.pointed, move)),
    };
  }

  /** @template Made @param {object} of @param {string} key @param {() => Made} make @returns {Made} */
  computeOnce(of, key, make) {
    const known = this.made.get(of) ?? new Map();
    this.made.set(of, known);
    if (!known.has(key)) known.set(key, make());
    return known.get(key);
  }

  /** @param {Answer} answer @param {import("./word-answer.js").Ways & {layer: number}} view @returns {Answer} */
  answerOf(answer, { keys, queries, layer }) {
    const make = () => new WordAnswer(answer, { keys, queries }, layer);
    return /** @type {any} */ (this.computeOnce(answer, `${keys} ${queries} ${layer}`, make));
  }

  /** @param {State} state @returns {(axis: string) => Span[] | null} */
  words({ answer, view }) {
    const reply = replyAt(wholeOf(/** @type {Answer} */ (answer).reply), view.layer);
    return (axis) => (axis === "query" || axis === "key" ? (spansOf(reply, axis)?.[view.batch] ?? null) : null);
  }

  /** @param {State} state @returns {Move} */
  toWords(state) {
    const words = this.words(state);
    return (axis, at) => {
      const found = words(axis)?.findIndex(([, end]) => at < end) ?? at;
      return found < 0 ? at : found;
    };
  }

  /**
   * Maps a query to its last piece and a key to its first: under a causal mask, this cell is open if any cell
   * of the two words is.
   * @param {State} state @returns {Move}
   */
  toPieces(state) {
    const words = this.words(state);
    return (axis, at) => {
      const span = words(axis)?.[at];
      if (!span) return at;
      return axis === "query" ? span[1] - 1 : span[0];
    };
  }

  /** @template {Cell | null} C @param {C} cell @param {Move} move */
  cellOf(cell, move) {
    if (!cell) return cell;
    const { rows, cols } = sides(stageOf(this.page, cell.stage));
    return { ...cell, row: move(rows, cell.row), col: move(cols, cell.col) };
  }

  /** @param {State["view"]} view @param {Move} move */
  viewOf(view, move) {
    const { cell, after, picked } = view;
    return {
      ...view,
      cell: this.cellOf(cell, move),
      after: after === null ? null : move("query", after),
      picked: picked && { ...picked, at: [...new Set(picked.at.map((at) => move(picked.axis, at)))] },
    };
  }

  /** @param {Partial<State>} patch @param {State} seen @param {State} state */
  back(patch, seen, state) {
    if (!seen.answer?.reply.merged) return patch; // `seen` shows pieces
    const move = this.toPieces(state);
    const found = { ...patch };
    if (patch.hover) found.hover = this.cellOf(patch.hover, move);
    if (patch.pointed) found.pointed = pointOf(patch.pointed, move);
    if (patch.view) found.view = this.viewBack(patch.view, seen, state, move);
    return found;
  }

  /**
   * @param {State["view"]} view @param {State} seen @param {State} state @param {Move} move @returns {State["view"]}
   */
  viewBack(view, seen, state, move) {
    const words = this.words(state);
    const { cell, after, picked } = view;
    const all = (/** @type {NonNullable<typeof picked>} */ { axis, at }) =>
      at.flatMap((word) => {
        const [from, to] = words(axis)?.[word] ?? [word, word + 1];
        return Array.from({ length: to - from }, (_, piece) => from + piece);
      });
    return {
      ...view,
      cell: cell === seen.view.cell ? state.view.cell : this.cellOf(cell, move),
      after: after === seen.view.after ? state.view.after : after === null ? null : move("query", after),
      picked: picked === seen.view.picked ? state.view.picked : picked && { ...picked, at: all(picked) },
    };
  }
}

/** @template {State["pointed"]} P @param {P} pointed @param {Move} move @returns {P} */
const pointOf = (pointed, move) => pointed && { ...pointed, at: move(pointed.axis, pointed.at) };

/** @param {Every} every @param {(answer: Answer) => Answer} of */
function everyOf({ answer, masked }, of) {
  if (answer.numbers || masked.answer.numbers) return null; // the numbers are not fetched yet
  return { answer: of(answer), masked: { ...masked, answer: of(masked.answer) } };
}
