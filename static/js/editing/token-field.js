/** Replacing a token: a small field over its chip, by a double press or F2; Enter takes it, Esc lets go. */

import { askWhole } from "../core/actions.js";
import { areNames, withToken } from "./replaced-token.js";
import { labelsOf, wordsOf } from "../core/answer.js";
import { h } from "../lib/dom.js";

/** @typedef {import("./apply-edit.js").Bench} Bench */
/** @typedef {import("../core/address/address.js").Picked["axis"]} Axis */
/** @typedef {import("../core/state.js").State} State */

const LEAST = 48; // CSS pixels

/**
 * @param {HTMLElement} root where strips of chips are, now or later
 * @param {Bench} bench
 * @returns {import("../core/state.js").Part}
 */
export const replace = (root, bench) => new TokenField(root, bench);

class TokenField {
  /** @param {HTMLElement} root @param {Bench} bench */
  constructor(root, bench) {
    this.bench = bench;
    /** @type {(() => void) | null} takes the field away, and leaves the token as it is */
    this.leave = null;
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
    const chip = strip && key === "F2" && (strip.querySelector(".cursor") ?? strip.firstElementChild);
    if (!chip) return;
    event.preventDefault();
    this.open(/** @type {HTMLElement} */ (chip));
  }

  /** @param {HTMLElement} chip */
  open(chip) {
    this.leave?.();
    const { store, answered } = this.bench;
    const { question, view } = store.get();
    const strip = stripOf(chip);
    /** @type {Axis} */
    const axis = strip.closest(".context") ? "key" : "query";
    const place = { axis, batch: view.batch, at: [...strip.children].indexOf(chip) };
    const answer = answered.of(question);
    if (!answer || place.at >= (wordsOf(answer.reply, axis).lengths[place.batch] ?? 0)) return; // padding
    const before = labelsOf(answer.reply, place.batch, axis)[place.at].text;
    const take = (/** @type {string} */ token) => token !== before && this.take(place, token);
    this.leave = areNames(question, axis) ? this.refuse(strip) : this.type(chip, before, take);
  }

  /** @param {{axis: Axis, batch: number, at: number}} place @param {string} token */
  take(place, token) {
    const { store, answered } = this.bench;
    const { question } = store.get();
    const answer = answered.of(question);
    if (answer && token) askWhole(store, withToken(question, answer, place, token));
  }

  /**
   * @param {HTMLElement} chip
   * @param {string} before
   * @param {(token: string) => void} take
   */
  type(chip, before, take) {
    const strip = stripOf(chip);
    const label = this.bench.store.t("change.token", { token: before });
    const plain = { autocomplete: "off", spellcheck: "false" };
    const input = h("input", { class: "retype", value: before, "aria-label": label, ...plain });
    const end = once((/** @type {boolean} */ taken) => {
      const held = document.activeElement === input;
      const token = input.value.trim();
      input.remove();
      this.leave = null;
      if (held) strip.focus({ preventScroll: true });
      if (taken) take(token);
    });
    over(input, chip);
    input.addEventListener("blur", () => end(true));
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter" || event.key === "Escape") end(event.key === "Enter");
    });
    strip.after(input);
    input.select();
    input.focus();
    return () => end(false);
  }

  /** Says why the tokens stay as they are, until anything is done. @param {HTMLElement} strip */
  refuse(strip) {
    const note = h("p", { class: "retype note", role: "status" });
    over(note, strip);
    strip.after(note);
    note.textContent = this.bench.store.t("change.names_alone");
    const shown = new AbortController();
    const gone = () => {
      note.remove();
      shown.abort();
      this.leave = null;
    };
    const anywhere = { capture: true, signal: shown.signal }; // a strip keeps its keys to itself
    document.addEventListener("pointerdown", gone, anywhere);
    document.addEventListener("keydown", gone, anywhere);
    return gone;
  }

  /** @param {State} state @param {State} [previous] */
  update({ answer, view }, previous) {
    if (answer !== previous?.answer || view.batch !== previous?.view.batch) this.leave?.();
  }

  destroy() {
    this.leave?.();
    this.listening.abort();
  }
}

/** @param {HTMLElement} chip */
const stripOf = (chip) => /** @type {HTMLElement} */ (chip.parentElement);

/**
 * A field that goes away loses the focus, which would end it again.
 * @param {(taken: boolean) => void} end
 */
function once(end) {
  let ended = false;
  return (/** @type {boolean} */ taken) => {
    if (ended) return;
    ended = true;
    end(taken);
  };
}

/** Lays an element over another one of the same room. @param {HTMLElement} element @param {HTMLElement} below */
function over(element, below) {
  const room = /** @type {HTMLElement} */ (below.closest("#tokens, .tokens"));
  const [own, box] = [room.getBoundingClientRect(), below.getBoundingClientRect()];
  element.style.left = `${Math.max(0, box.left - own.left)}px`;
  element.style.top = `${box.top - own.top}px`;
  element.style.minWidth = `${Math.max(LEAST, box.width)}px`;
  element.style.height = `${box.height}px`;
}
