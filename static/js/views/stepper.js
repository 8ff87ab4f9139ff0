/**
 * The computation of one cell told chapter by chapter. What is seen is a function of (chapter, t);
 * while it plays, t moves here, and the state learns of it when it rests.
 */

import { Problem, cell as fetchCell } from "../data/api.js";
import { look } from "../data/actions.js";
import { bodyOf } from "../data/question.js";
import { sameNumbers } from "../data/state.js";
import { CHAPTERS, LENGTH, cellOf, indexOf, secondsAt, stepAt, subjectOf } from "../data/telling.js";
import { fill, h } from "../lib/dom.js";
import { chapterOf } from "./chapters.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/address.js").Step} Step */

const SPEEDS = [0.25, 0.5, 1, 2, 4];
const still = window.matchMedia("(prefers-reduced-motion: reduce)");

/** @type {import("../data/state.js").ViewOf} */
export function stepper(root, store) {
  const { t } = store;
  /** @type {Step} */
  let now = { chapter: CHAPTERS[0][0], t: 0 };
  let speed = 1;
  let drawn = ""; // the chapter and the numbers that the scene was made for
  let running = 0; // the frame that was asked for
  let before = 0; // when the last one was drawn
  let until = LENGTH; // seconds at which playing ends
  /** @type {import("./scenes.js").Scene | null} */
  let scene = null;
  /** @type {import("../data/state.js").Explanation | null} */
  let made = null;
  let asked = "";
  let controller = new AbortController();

  const play = h("button", { class: "button play", onclick: toggle });
  const scrub = h("input", {
    type: "range",
    min: 0,
    max: LENGTH,
    step: 0.1,
    "aria-label": t("step.scrub"),
    oninput: () => (pause(), go(stepAt(Number(scrub.value)))),
    onchange: () => keep(),
  });
  const rate = h(
    "select",
    { "aria-label": t("step.speed"), onchange: () => (speed = Number(rate.value)) },
    SPEEDS.map((each) => h("option", { value: each, selected: each === 1 }, `${each}×`)),
  );
  const close = h(
    "button",
    { class: "close", onclick: () => look(store, { step: null }), "aria-label": t("step.close") },
    "✕",
  );
  const title = h("h2");
  const words = h("p", { class: "words", "aria-live": "polite" });
  const place = h("div", { class: "place-of-scene" });
  const chapters = CHAPTERS.map(([name]) =>
    h("button", { onclick: () => playOne(name) }, t(`tell.${name}.title`)),
  );
  fill(
    root,
    h("header", {}, title, close),
    words,
    place,
    h("div", { class: "player" }, play, scrub, rate),
    h("ol", { class: "chapters" }, chapters.map((button) => h("li", {}, button))),
  );
  root.setAttribute("aria-label", t("step.label"));
  root.setAttribute("role", "region");
  root.tabIndex = -1;
  root.addEventListener("keydown", onKey);

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target === rate) return;
    const moves = target === scrub ? 0 : { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === " " && target.localName !== "button") toggle();
    else if (event.key === "Escape") look(store, { step: null });
    else if (moves) step(moves);
    else if (event.key === "Home") jump({ chapter: CHAPTERS[0][0], t: 0 });
    else if (event.key === "End") jump(stepAt(LENGTH));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} by chapters */
  function step(by) {
    const at = indexOf(now.chapter) + by;
    const next = Math.max(0, Math.min(CHAPTERS.length - 1, at));
    jump({ chapter: CHAPTERS[next][0], t: 1 });
  }

  /** @param {Step} to */
  function jump(to) {
    pause();
    go(to);
    keep();
  }

  /** @param {string} chapter */
  function playOne(chapter) {
    jump({ chapter, t: 0 });
    start(secondsAt({ chapter, t: 1 }));
  }

  function toggle() {
    if (running) return pause(), keep();
    if (secondsAt(now) >= LENGTH) go(stepAt(0));
    start(LENGTH);
  }

  /** @param {number} end seconds */
  function start(end) {
    until = end;
    before = performance.now();
    cancelAnimationFrame(running);
    running = requestAnimationFrame(tick);
    label();
  }

  function pause() {
    cancelAnimationFrame(running);
    running = 0;
    label();
  }

  /** @param {number} time */
  function tick(time) {
    const seconds = Math.min(until, secondsAt(now) + (speed * (time - before)) / 1000);
    before = time;
    const ended = seconds >= until;
    go(ended && until < LENGTH ? { chapter: now.chapter, t: 1 } : stepAt(seconds));
    if (ended) return pause(), keep();
    running = requestAnimationFrame(tick);
  }

  /** The state and the address learn where the telling rests. */
  function keep() {
    const t = Math.round(100 * now.t) / 100;
    store.set({ view: { ...store.get().view, step: { ...now, t } } }, { replace: true });
  }

  /** @param {Step} to */
  function go(to) {
    now = to;
    draw(store.get());
  }

  /** @param {State} state */
  function draw(state) {
    const subject = subjectOf(store, state);
    if (!subject || !state.answer) return;
    const { chapter } = now;
    const { layer, head, batch, precision } = state.view;
    const { trace } = state.answer.reply;
    const numbers = [trace, subject, layer, head, batch, precision, state.theme, made !== null];
    const key = JSON.stringify([chapter, numbers]);
    if (key !== drawn) {
      drawn = key;
      const told = chapterOf(store, state, subject, chapter, made);
      scene = told.scene;
      fill(title, t(`tell.${chapter}.title`));
      if (words.textContent !== told.words) fill(words, told.words);
      fill(place, scene?.element);
      chapters.forEach((button, index) =>
        button.setAttribute("aria-current", index === indexOf(chapter) ? "step" : "false"),
      );
      store.set({ hover: cellOf(state, subject, chapter) }, { silent: true });
    }
    scene?.frame(still.matches ? 1 : now.t);
    scrub.value = String(secondsAt(now));
    scrub.setAttribute("aria-valuetext", t(`tell.${chapter}.title`));
  }

  function label() {
    fill(play, running ? "❚❚ " : "▶ ", t(running ? "step.pause" : "step.play"));
  }

  /**
   * The operands of one number of the output: w_o comes with no answer.
   * @param {State} state
   */
  async function ask(state) {
    const subject = subjectOf(store, state);
    if (!subject || !state.answer) return;
    const { batch, layer } = state.view;
    const { trace } = state.answer.reply;
    const at = { batch, layer, head: 0, row: subject.row, col: subject.out };
    const key = JSON.stringify([trace, at]);
    if (key === asked) return;
    asked = key;
    made = null;
    controller.abort();
    controller = new AbortController();
    try {
      made = await fetchCell(trace, "output", at, bodyOf(state.question), controller.signal);
    } catch (problem) {
      if (controller.signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      asked = ""; // its strips are shown; asked again with the next change
    }
    if (store.get().view.step) draw(store.get());
  }

  label();
  return {
    update(state, previous) {
      const { step, present } = state.view;
      root.hidden = !step;
      if (!step) {
        if (running) pause();
        if (previous.view.step && state.hover) store.set({ hover: null }, { silent: true });
        return;
      }
      const opened = !previous.view.step;
      const moved = step !== previous.view.step;
      if (moved && !running) now = { chapter: CHAPTERS[indexOf(step.chapter)][0], t: step.t };
      ask(state);
      const again = moved || state.view.cell !== previous.view.cell || state.theme !== previous.theme;
      if (again || !sameNumbers(state, previous) || state.view.precision !== previous.view.precision)
        draw(state);
      if (opened && document.activeElement?.closest("#play")) root.focus();
      if (!moved || running || step.t > 0) return;
      if (present) start(secondsAt({ ...now, t: 1 }));
      else if (opened) start(LENGTH);
    },
    destroy() {
      pause();
      controller.abort();
      fill(root);
    },
  };
}
