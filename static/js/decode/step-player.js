import { setView } from "../core/actions.js";
import { fill, h } from "../lib/dom.js";
import { nameOf } from "../matrix/names.js";
import { keysOf, stepsOf, tokensMade } from "./steps.js";

const PAUSE = 700; // ms of a step

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

  /** @param {import("./steps.js").Steps} steps */
  place({ at, count }) {
    this.play.disabled = this.slider.disabled = false;
    this.slider.max = String(count - 1);
    this.slider.value = String(at);
  }

  /**
   * @param {State} state @param {import("./steps.js").Steps} steps
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
