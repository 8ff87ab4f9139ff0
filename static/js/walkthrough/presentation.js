import { setView } from "../core/actions.js";
import { labelsOf } from "../core/answer.js";
import { stagesOn, formulaOf, headAxis, stageOf } from "../core/page.js";
import { partsOf } from "../core/pieces.js";
import { shownStages } from "../core/state.js";
import { CHAPTERS, indexOf } from "./timeline.js";
import { fill, h, math } from "../lib/dom.js";
import { headName, labelOf } from "../matrix/names.js";

const SWIPE = 40; // CSS pixels
const WRITTEN = 1000; // most characters, or tokens, of the sentence
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

/** @type {ViewOf} */
export const present = (root, store) => new Present(root, store);

/** @param {string} text */
const shortened = (text) => (text.length > WRITTEN ? `${text.slice(0, WRITTEN)} …` : text);

/** @param {Store} store @param {State} state */
const ofHead = ({ page }, { view: { step, stage } }) =>
  step !== null || stagesOn(page).some((each) => each.name === stage && headAxis(each));

class Present {
  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    const { t } = store;
    this.root = root;
    this.store = store;
    this.title = h("h2", { class: "title" });
    this.sentence = h("p", { class: "sentence", translate: "no" });
    this.about = h("p", { class: "about", "aria-live": "polite" });
    this.place = h("p", { class: "place" });
    this.close = h("button", { class: "close", onclick: () => this.leave() }, "✕");
    this.close.setAttribute("aria-label", t("present.close"));
    this.down = { x: 0, y: 0 };
    /** @type {Pick<State["view"], "stage" | "table">} view to restore */
    this.before = { stage: null, table: false };
    fill(root, this.title, this.sentence, this.about, this.place, this.close);
    // The stage begins below the header.
    this.resized = new ResizeObserver(() => document.body.style.setProperty("--below", `${root.offsetHeight}px`));
    this.resized.observe(root);
    root.setAttribute("role", "region");
    root.setAttribute("aria-label", t("present.label"));
    // Capturing listeners run before those of the picture.
    this.gone = new AbortController();
    const early = { capture: true, signal: this.gone.signal };
    window.addEventListener("keydown", (event) => this.onKey(event), early);
    window.addEventListener("pointerdown", (event) => (this.down = { x: event.clientX, y: event.clientY }), early);
    window.addEventListener("pointerup", (event) => this.onUp(event), early);
    window.addEventListener("click", (event) => this.onClick(event), early);
  }

  /** @param {State} state @param {State} [previous] */
  update(state, previous) {
    const { present, step, stage, table } = state.view;
    this.root.hidden = !present;
    document.body.toggleAttribute("data-present", present);
    document.body.toggleAttribute("data-stepping", present && step !== null);
    if (!present) return;
    if (!previous?.view.present) this.before = { stage, table };
    const [first] = this.store.page.stages;
    if (!step && !stagesOn(this.store.page).some(({ name }) => name === stage)) {
      setView(this.store, { stage: first.name, table: false }, { replace: true });
    } else if (state.view !== previous?.view || state.answer !== previous?.answer) this.draw(state);
  }

  destroy() {
    this.gone.abort();
    this.resized.disconnect();
    document.body.removeAttribute("data-present");
    fill(this.root);
  }

  /** @param {State} state */
  draw(state) {
    const { answer, view, question } = state;
    if (!answer) return;
    const { names, index } = this.where(state);
    const { t } = this.store;
    const { reply } = answer;
    const alone = reply.lengths.length === 1;
    const words = (/** @type {string} */ axis) =>
      labelsOf(reply, view.batch, axis)
        .slice(0, WRITTEN)
        .map(({ text }) => partsOf(text).word)
        .join(" ");
    const own = alone && !question.x && !question.tokens ? question.text : words("query");
    const asked = alone && question.context ? question.context : words("key");
    const tokens = reply.context_lengths ? `${shortened(own)} → ${shortened(asked)}` : shortened(own);
    fill(this.sentence, tokens);
    const stage = view.step || !view.stage ? null : stageOf(this.store.page, view.stage);
    this.title.hidden = !stage;
    const formula = stage && h("span", { translate: "no" }, math(formulaOf(stage, state).mathml));
    if (stage) fill(this.title, labelOf(this.store, stage.name), " ", formula);
    const about = stage ? t(`present.stage.${stage.name}`) : "";
    fill(this.about, ofHead(this.store, state) && h("b", { title: t("heads.one", view) }, headName(view)), " ", about);
    fill(this.place, t("present.place", { n: index + 1, all: names.length }));
  }

  where({ answer, view: { step, stage } } = this.store.get()) {
    if (step) return { names: CHAPTERS.map(([name]) => String(name)), index: indexOf(step.chapter) };
    const names = shownStages(this.store.page, { answer }).map(({ name }) => name);
    return { names, index: names.indexOf(stage ?? "") };
  }

  leave() {
    setView(this.store, { present: false, ...this.before });
  }

  /** @param {number} by */
  move(by) {
    const { step } = this.store.get().view;
    const { names, index } = this.where();
    const next = Math.max(0, Math.min(names.length - 1, index + by));
    if (next === index) return;
    setView(this.store, step ? { step: { chapter: names[next], t: 0 } } : { stage: names[next] });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (!this.store.get().view.present || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" || event.key.toLowerCase() === "p") this.leave();
    else if (event.key === " " && event.target === this.close) return;
    else if (STEPS[event.key]) this.move(STEPS[event.key]);
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** Handles swipes, after which browsers send no click. @param {PointerEvent} event */
  onUp({ clientX, clientY, pointerType }) {
    const across = clientX - this.down.x;
    const swiped = Math.abs(across) > SWIPE && Math.abs(across) > Math.abs(clientY - this.down.y);
    if (swiped && pointerType !== "mouse" && this.store.get().view.present) this.move(across > 0 ? -1 : 1);
  }

  /** @param {MouseEvent} event */
  onClick(event) {
    const { target, clientX } = event;
    if (!this.store.get().view.present || !(target instanceof Element)) return;
    if (target === this.close || target.closest(".plot")) return;
    this.move(clientX < window.innerWidth / 3 ? -1 : 1);
    event.stopPropagation();
    event.preventDefault();
  }
}
