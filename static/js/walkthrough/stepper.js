/** Steps through one cell's computation. While it plays, only `hover` changes. */

import { setView } from "../core/actions.js";
import { STEP } from "../core/address/kinds.js";
import { CellExplanation, requestOperands } from "./operands.js";
import { hasSameNumbers } from "../core/state.js";
import { answerKey } from "../core/traces.js";
import { CHAPTERS, LENGTH, cellOf, indexOf, secondsAt, stepAt, subjectOf } from "./timeline.js";
import { fill } from "../lib/dom.js";
import { chapterOf } from "./chapters.js";
import { player } from "./controls.js";

/** @typedef {NonNullable<View["step"]>} Step */

const MOVES = /** @type {Record<string, number>} */ ({ ArrowLeft: -1, ArrowRight: 1 });
const still = window.matchMedia("(prefers-reduced-motion: reduce)");

/** @type {ViewOf} */
export const stepper = (root, store) => new Stepper(root, store);

class Stepper {
  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    this.root = root;
    this.store = store;
    this.now = /** @type {Step} */ ({ chapter: CHAPTERS[0][0], t: 0 });
    this.drawn = "";
    this.running = 0; // id of the frame request
    this.before = 0; // time of the last frame
    this.until = LENGTH; // seconds
    /** @type {import("./scenes.js").Scene | null} */
    this.scene = null;
    const drawAgain = () => store.get().view.step && this.draw(store.get());
    this.explanations = { query: new CellExplanation(drawAgain), output: new CellExplanation(drawAgain) };
    this.controls = player(root, store, {
      toggle: () => this.toggle(),
      scrub: (seconds) => (this.pause(), this.go(stepAt(seconds))),
      rest: () => this.saveStep(),
      open: (chapter) => this.playOne(chapter),
    });
    this.controls.label(false);
    root.addEventListener("keydown", (event) => this.onKey(event));
  }

  /** @param {State} state @param {State} [previous] */
  update(state, previous) {
    const { cell, step, present, precision } = state.view;
    if (step && !CHAPTERS.some(([name]) => name === step.chapter)) return this.leaveOut(state, step);
    this.root.hidden = !step;
    if (!step) {
      if (this.running) this.pause();
      if (previous?.view.step && state.hover) this.store.set({ hover: null }, { silent: true });
      return;
    }
    const moved = step !== previous?.view.step;
    if (moved && !this.running) this.now = { chapter: CHAPTERS[indexOf(step.chapter)][0], t: step.t };
    const changed = cell !== previous?.view.cell || precision !== previous?.view.precision;
    const came = state.exact !== previous?.exact;
    if (moved || changed || came || state.theme !== previous?.theme || !hasSameNumbers(state, previous))
      this.draw(state);
    const opened = !previous?.view.step;
    if (opened && document.activeElement?.closest("#play")) this.root.focus();
    if (!previous) this.root.scrollIntoView({ block: "nearest" });
    if (!moved || this.running || step.t > 0) return;
    if (present) this.start(secondsAt({ ...this.now, t: 1 }));
    else if (opened) this.start(LENGTH);
  }

  /** Ignores a step that names no chapter. @param {State} state @param {Step} step */
  leaveOut({ view, ignored }, step) {
    this.store.set(
      { view: { ...view, step: null }, ignored: [...ignored, `step=${STEP.print(step)}`] },
      { replace: true },
    );
  }

  destroy() {
    this.pause();
    for (const explanation of Object.values(this.explanations)) explanation.forget();
    fill(this.root);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.localName === "select") return;
    const slider = target.localName === "input"; // a slider handles these keys itself
    if (event.key === " " && target.localName !== "button") this.toggle();
    else if (event.key === "Escape") setView(this.store, { step: null });
    else if (!slider && MOVES[event.key]) this.step(MOVES[event.key]);
    else if (!slider && event.key === "Home") this.jump(stepAt(0));
    else if (!slider && event.key === "End") this.jump(stepAt(LENGTH));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} by */
  step(by) {
    const at = indexOf(this.now.chapter) + by;
    const next = Math.max(0, Math.min(CHAPTERS.length - 1, at));
    this.jump({ chapter: CHAPTERS[next][0], t: 1 });
  }

  /** @param {Step} to */
  jump(to) {
    this.pause();
    this.go(to);
    this.saveStep();
  }

  /** @param {string} chapter */
  playOne(chapter) {
    this.jump({ chapter, t: 0 });
    this.start(secondsAt({ chapter, t: 1 }));
  }

  toggle() {
    if (this.running) {
      this.pause();
      this.saveStep();
      return;
    }
    if (secondsAt(this.now) >= LENGTH) this.go(stepAt(0));
    this.start(LENGTH);
  }

  /** @param {number} end */
  start(end) {
    this.until = end;
    this.before = performance.now();
    cancelAnimationFrame(this.running);
    this.running = requestAnimationFrame((time) => this.tick(time));
    this.controls.label(true);
  }

  pause() {
    cancelAnimationFrame(this.running);
    this.running = 0;
    this.controls.label(false);
  }

  /** @param {number} time */
  tick(time) {
    const passed = (this.controls.speed() * Math.max(0, time - this.before)) / 1000;
    const seconds = Math.min(this.until, secondsAt(this.now) + passed);
    this.before = time;
    const ended = seconds >= this.until;
    const last = ended && seconds < LENGTH; // stay at the end of the chapter
    this.go(last ? { chapter: this.now.chapter, t: 1 } : stepAt(seconds));
    if (ended) {
      this.pause();
      this.saveStep();
    } else this.running = requestAnimationFrame((next) => this.tick(next));
  }

  saveStep() {
    const step = { ...this.now, t: Math.round(100 * this.now.t) / 100 };
    setView(this.store, { step }, { replace: true });
  }

  /** @param {Step} to */
  go(to) {
    this.now = to;
    this.draw(this.store.get());
  }

  /** @param {State} state */
  draw(state) {
    const subject = subjectOf(this.store, state);
    if (!subject || !state.answer || !requestOperands(this.store, state, subject)) return;
    const { chapter, t } = this.now;
    const { layer, head, batch, precision } = state.view;
    const { row, out } = subject;
    const query = this.explanations.query.of(state, { stage: "q", head, row, col: 0 });
    const output = this.explanations.output.of(state, { stage: "output", head: 0, row, col: out });
    const explanation = chapter === "project" ? query : output;
    const of = [subject, layer, head, batch, precision, state.theme, explanation !== null];
    const key = JSON.stringify([chapter, state.answer.reply.trace, of]);
    if (key !== this.drawn) {
      this.drawn = key;
      this.root.dataset.trace = answerKey(state);
      const chapterNow = chapterOf(this.store, state, subject, chapter, explanation);
      this.scene = chapterNow.scene;
      this.controls.show(chapter, chapterNow);
      this.store.set({ hover: cellOf(state, subject, chapter) }, { silent: true });
    }
    this.scene?.frame(still.matches ? 1 : t);
    this.controls.place(secondsAt(this.now), chapter);
  }
}
