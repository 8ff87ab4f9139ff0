/** Input over a token's chip; a double click or F2 opens it. */

import { setQuestion } from "../core/question-changes.js";
import { areLabels, withToken, withTokenInLongText } from "./replaced-token.js";
import { encodes, labelsOf, wordsOf } from "../core/answer.js";
import { onProblem } from "../core/api.js";
import { inParts, tokensIn } from "../core/token-windows.js";
import { isComposing } from "../lib/composing.js";
import { h } from "../lib/dom.js";

/** @typedef {import("./replaced-token.js").Place} Place */

const LEAST = 48; // CSS pixels; least width

export class TokenField {
  /** @param {HTMLElement} root @param {import("./apply-edit.js").Bench} bench */
  constructor(root, bench) {
    this.bench = bench;
    /** @type {(() => void) | null} closes the open input or note */
    this.leave = null;
    /** @type {(Place & {before: string}) | null} */
    this.typed = null;
    this.listening = new AbortController();
    const { signal } = this.listening;
    root.addEventListener("dblclick", (event) => this.onPress(event), { signal });
    root.addEventListener("keydown", (event) => this.onKey(event), { signal });
  }

  /** @param {MouseEvent} event */
  onPress({ target }) {
    const chip = target instanceof Element ? target.closest("#tokens .chip, .context .chip") : null;
    if (chip) this.open(/** @type {HTMLElement} */ (chip));
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { target, key } = event;
    const strip = target instanceof Element && target.matches("#tokens .chips, .context .chips") && target;
    if (!strip || key !== "F2") return;
    const pressed = strip.querySelector('[aria-selected="true"]'); // the mouse leaves no cursor
    const chip = strip.querySelector(".cursor") ?? pressed ?? strip.firstElementChild;
    if (!chip) return;
    event.preventDefault();
    this.open(/** @type {HTMLElement} */ (chip));
  }

  /** @param {HTMLElement} chip */
  async open(chip) {
    this.leave?.();
    const { store, answered } = this.bench;
    const strip = stripOf(chip);
    const at = Number(chip.dataset.at);
    const answer = answered.of(store.get().question) ?? (await answered.waitForAnswer());
    const { question, view } = store.get();
    /** @type {Axis} */
    const axis = strip.closest(".context") ? "key" : "query";
    if (answer && encodes(answer.reply, view.layer)) return; // in encoder layers, chips show the context
    const place = { axis, batch: view.batch, at };
    if (!answer || at >= (wordsOf(answer.reply, axis).lengths[place.batch] ?? 0)) return;
    if (areLabels(question, axis)) this.leave = this.refuse(strip);
    else this.type(strip, { ...place, before: textAt(answer, place) });
  }

  /** @param {Place} place @param {string} token */
  take(place, token) {
    const { store, answered } = this.bench;
    const { question } = store.get();
    const answer = answered.of(question);
    if (!answer || !token) return;
    if (inParts(answer.reply)) this.replaceInLongText(answer, place, token);
    else setQuestion(store, withToken(question, answer, place, token));
  }

  /**
   * In a long text, fetches the token's place first.
   * @param {Answer} answer @param {Place} place @param {string} token
   */
  async replaceInLongText(answer, place, token) {
    const { store } = this.bench;
    const { question, view } = store.get();
    const { axis, at } = place;
    try {
      const split = await tokensIn({ question, view, answer }, axis, [at, at + 1], this.listening.signal);
      if (store.get().question !== question) return;
      setQuestion(store, withTokenInLongText(question, place, split.offsets[0], token));
    } catch (error) {
      onProblem((unchanged) => store.set({ unchanged }, { silent: true }))(error);
    }
  }

  /** @param {HTMLElement} strip @param {Place & {before: string}} typed */
  type(strip, typed) {
    const before = typed.before.trim(); // the input omits the leading space
    const chip = /** @type {HTMLElement} */ (strip.querySelector(`[data-at="${typed.at}"]`));
    const label = this.bench.store.t("change.token", { token: before });
    const plain = { autocomplete: "off", spellcheck: "false" };
    const input = h("input", { class: "retype", value: before, "aria-label": label, ...plain });
    const end = once((taken) => {
      const held = document.activeElement === input;
      const token = input.value.trim();
      input.remove();
      this.leave = this.typed = null;
      if (held) strip.focus({ preventScroll: true });
      if (taken && token !== before) this.take(typed, token);
    });
    placeOver(input, chip);
    input.addEventListener("blur", () => end(true));
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (isComposing(event)) return;
      if (event.key === "Enter" || event.key === "Escape") end(event.key === "Enter");
    });
    strip.after(input);
    input.select();
    input.focus();
    this.leave = () => end(false);
    this.typed = typed;
  }

  /** @param {HTMLElement} strip */
  refuse(strip) {
    const note = h("p", { class: "retype note", role: "status" });
    placeOver(note, strip);
    strip.after(note);
    note.textContent = this.bench.store.t("change.names_alone");
    const shown = new AbortController();
    const gone = () => {
      note.remove();
      shown.abort();
      this.leave = null;
    };
    const anywhere = { capture: true, signal: shown.signal }; // capture, because strips stop propagation
    document.addEventListener("pointerdown", gone, anywhere);
    document.addEventListener("keydown", gone, anywhere);
    return gone;
  }

  /** @param {State} state @param {State} [previous] */
  update({ answer, view }, previous) {
    if (answer === previous?.answer && view.batch === previous?.view.batch) return;
    const { typed } = this;
    const stays = answer && typed?.batch === view.batch && textAt(answer, typed) === typed.before;
    if (!stays) this.leave?.();
  }

  destroy() {
    this.leave?.();
    this.listening.abort();
  }
}

/** @param {Answer} answer @param {Place} place */
const textAt = ({ reply }, { axis, batch, at }) => labelsOf(reply, batch, axis)[at]?.text;

/** @param {HTMLElement} chip */
const stripOf = (chip) => /** @type {HTMLElement} */ (chip.parentElement);

/** Removing the input fires `blur`, which would call `end` again. @param {(taken: boolean) => void} end */
function once(end) {
  let ended = false;
  return (/** @type {boolean} */ taken) => {
    if (ended) return;
    ended = true;
    end(taken);
  };
}

/** @param {HTMLElement} element @param {HTMLElement} below */
function placeOver(element, below) {
  const room = /** @type {HTMLElement} */ (below.closest("#tokens, .tokens"));
  const [own, box] = [room.getBoundingClientRect(), below.getBoundingClientRect()];
  element.style.left = `${Math.max(0, box.left - own.left)}px`;
  element.style.top = `${box.top - own.top}px`;
  element.style.minWidth = `${Math.max(LEAST, box.width)}px`;
  element.style.height = `${box.height}px`;
}
