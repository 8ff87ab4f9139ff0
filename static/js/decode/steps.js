import { setView } from "../core/actions.js";
import { wholeOf } from "../core/answer.js";
import { installedOf, isCausal } from "../core/page.js";
import { isCross } from "../core/question.js";
import { fill, h } from "../lib/dom.js";
import { nameOf } from "../matrix/names.js";

/** @typedef {{n: number, prefill: number, count: number, at: number, whole: boolean}} Steps */

const MOST = 1_000_000; // numbers; a larger reply has one step
const NAMED = 3; // tokens; a step with more does not name them

/** The prefill includes the prefix, whose tokens attend to each other. @param {State} state */
export function stepsOf({ answer, question, view }) {
  const { reply } = /** @type {Answer} */ (answer);
  const n = reply.lengths[view.batch];
  const prefill = Math.min(Math.max(view.prefill, prefixOf(question)), n);
  const count = n - Math.max(prefill, 1) + 1;
  const at = Math.min(view.decoded ?? count - 1, count - 1);
  const whole = (n * n * (reply.shape.d_k + reply.shape.d_v + 1)) / 2 <= MOST;
  return { n, prefill, count, at, whole };
}

/** Length of the prefix; 0 if it does not change the mask. @param {Pick<Question, "prefix">} question */
export const prefixOf = ({ prefix }) => (prefix > 1 ? prefix : 0); // every query sees the first key anyway

/** @param {State} state @param {Page} page */
export function obstacleOf({ answer, question }, page) {
  const { context_lengths, attends_to } = answer ? wholeOf(answer.reply) : /** @type {any} */ ({});
  if ((context_lengths && !attends_to) || (isCross(question) && !installedOf(page, question)?.encoder_layers))
    return { why: "decode.crossed", way: "decode.drop_context", field: "context" };
  if (isCausal(page, question)) return null;
  return { why: "decode.sees_ahead", way: "decode.make_causal", field: "causal" };
}

/** Rows of the step's new tokens; null if too many to name. @param {{rows: number[]}} step */
export function tokensMade({ rows: [start, end] }) {
  if (end - start > NAMED) return null;
  return Array.from({ length: end - start }, (_, at) => start + at);
}

/**
 * [from, to) of a step's new keys; the first step adds every key of a context.
 * @param {Pick<Replies.DecodingStep, "cached" | "k">} step
 */
export const keysOf = ({ cached, k }) => [cached, k[0].length];

const PAUSE = 700; // ms between steps

export class StepPlayer {
  running = 0;

  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    // Disabled until the first answer.
    this.play = h("button", { class: "button play", disabled: true, onclick: () => this.toggle() });
    this.slider = h("input", {
      type: "range",
      min: 0,
      step: 1,
      disabled: true,
      "aria-label": store.t("decode.step"),
      oninput: () => this.slide(),
    });
    this.words = h("p", { class: "words", "aria-live": "polite" });
    this.root = h("div", { class: "player" }, this.play, this.slider, this.words);
    this.label();
  }

  slide() {
    this.pause();
    this.go(this.slider.valueAsNumber);
  }

  /** @param {number} at */
  go(at) {
    const { count } = stepsOf(this.store.get());
    setView(this.store, { decoded: at >= count - 1 ? null : at }, { replace: true });
  }

  toggle() {
    if (this.running) return this.pause();
    const { at, count } = stepsOf(this.store.get());
    if (at === count - 1) this.go(0);
    this.running = window.setInterval(() => this.next(), PAUSE);
    this.label();
  }

  next() {
    const { at, count } = stepsOf(this.store.get());
    if (at < count - 1) this.go(at + 1);
    else this.pause();
  }

  pause() {
    window.clearInterval(this.running);
    this.running = 0;
    this.label();
  }

  label() {
    fill(this.play, this.running ? "❚❚ " : "▶ ", this.store.t(this.running ? "step.pause" : "step.play"));
  }

  /** @param {Steps} steps */
  place({ at, count }) {
    this.play.disabled = this.slider.disabled = false;
    this.slider.max = String(count - 1);
    this.slider.value = String(at);
  }

  /**
   * @param {State} state @param {Steps} steps
   * @param {Replies.DecodingStep} step
   */
  say(state, { at, count }, step) {
    const named = tokensMade(step);
    const [cached, end] = keysOf(step);
    this.words.textContent = this.store.t(named ? "decode.words" : "decode.words_prefill", {
      at: at + 1,
      count,
      tokens: (named ?? []).map((row) => nameOf(state, "query", row)).join(" "),
      made: step.rows[1] - step.rows[0],
      fresh: end - cached,
      cached,
    });
    this.slider.setAttribute("aria-valuetext", this.words.textContent);
  }
}
