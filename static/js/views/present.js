/**
 * The presentation: the sentence on top, one stage large or one chapter of the stepper, no
 * controls. Arrows, a swipe, or a press beside the picture lead on.
 */

import { look } from "../data/actions.js";
import { labelsOf } from "../data/answer.js";
import { CHAPTERS, indexOf } from "../data/telling.js";
import { fill, h } from "../lib/dom.js";

/** @typedef {import("../data/state.js").State} State */

const SWIPE = 40; // CSS pixels
const STEPS = /** @type {Record<string, number>} */ ({
  ArrowRight: 1,
  ArrowDown: 1,
  PageDown: 1,
  " ": 1,
  ArrowLeft: -1,
  ArrowUp: -1,
  PageUp: -1,
  Home: -Infinity,
  End: Infinity,
});

/** @type {import("../data/state.js").ViewOf} */
export function present(root, store) {
  const { t } = store;
  const sentence = h("p", { class: "sentence" });
  const about = h("p", { class: "about", "aria-live": "polite" });
  const place = h("p", { class: "place" });
  const close = h("button", { class: "close", onclick: leave, "aria-label": t("present.close") }, "✕");
  fill(root, sentence, about, place, close);
  root.setAttribute("role", "region");
  root.setAttribute("aria-label", t("present.label"));
  /** @type {{x: number, y: number} | null} */
  let down = null;
  // Before the picture's own keys: here arrows lead from stage to stage.
  window.addEventListener("keydown", onKey, true);
  window.addEventListener("pointerdown", onDown, true);
  window.addEventListener("click", onClick, true);

  const shown = () => store.get().view.present;

  /** Stages that have a card in sight. */
  function stages() {
    const hidden = document.querySelector("#pipeline [data-stage='block_output'][hidden]");
    return store.page.stages.map(({ name }) => name).filter((name) => name !== "block_output" || !hidden);
  }

  function leave() {
    look(store, { present: false, stage: null });
  }

  /** @param {number} by */
  function move(by) {
    const { step, stage } = store.get().view;
    const names = step ? CHAPTERS.map(([name]) => name) : stages();
    const now = step ? indexOf(step.chapter) : Math.max(0, names.indexOf(stage ?? ""));
    const next = Math.max(0, Math.min(names.length - 1, now + by));
    if (next === now) return;
    look(store, step ? { step: { chapter: names[next], t: 0 } } : { stage: names[next] });
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (!shown() || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" || event.key.toLowerCase() === "p") leave();
    else if (event.key === " " && event.target === close) return;
    else if (STEPS[event.key]) move(STEPS[event.key]);
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** @param {PointerEvent} event */
  function onDown({ clientX, clientY }) {
    down = { x: clientX, y: clientY };
  }

  /** @param {MouseEvent} event */
  function onClick(event) {
    if (!shown() || !(event.target instanceof Element) || event.target === close) return;
    const across = event.clientX - (down?.x ?? event.clientX);
    const swiped = Math.abs(across) > SWIPE && Math.abs(across) > Math.abs(event.clientY - (down?.y ?? 0));
    if (!swiped && event.target.closest(".plot")) return;
    move((swiped ? across > 0 : event.clientX < window.innerWidth / 3) ? -1 : 1);
    event.stopPropagation();
    event.preventDefault();
  }

  /** @param {State} state */
  function draw({ answer, view, question }) {
    if (!answer) return;
    const names = view.step ? CHAPTERS.map(([name]) => name) : stages();
    const index = view.step ? indexOf(view.step.chapter) : names.indexOf(view.stage ?? "");
    const { reply } = answer;
    const tokens = labelsOf(reply, view.batch).map(({ text }) => text);
    const line = question.x || question.tokens ? null : reply.lengths.length > 1 ? null : question.text;
    fill(sentence, line || tokens.join(" "));
    fill(about, view.step || !view.stage ? "" : t(`present.stage.${view.stage}`));
    fill(place, t("present.place", { n: index + 1, all: names.length }));
  }

  return {
    update(state, previous) {
      const { present, step, stage } = state.view;
      root.hidden = !present;
      document.body.toggleAttribute("data-present", present);
      document.body.toggleAttribute("data-stepping", present && step !== null);
      if (!present) return;
      if (!step && !store.page.stages.some(({ name }) => name === stage)) {
        const view = { ...state.view, stage: store.page.stages[0].name, table: false };
        store.set({ view }, { replace: true });
        return;
      }
      if (state.view !== previous.view || state.answer !== previous.answer) draw(state);
    },
    destroy() {
      window.removeEventListener("keydown", onKey, true);
      window.removeEventListener("pointerdown", onDown, true);
      window.removeEventListener("click", onClick, true);
      document.body.removeAttribute("data-present");
      fill(root);
    },
  };
}
