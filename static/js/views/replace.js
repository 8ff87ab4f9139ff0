/** Replacing a token: a small field over its chip, by a double press or F2; Enter takes it, Esc lets go. */

import { areNames, withToken } from "../data/replacing.js";
import { labelsOf, wordsOf } from "../data/answer.js";
import { h } from "../lib/dom.js";

/** @typedef {import("../data/changing.js").Bench} Bench */
/** @typedef {import("../data/address.js").Picked["axis"]} Axis */

const LEAST = 48; // CSS pixels

/**
 * @param {HTMLElement} root where strips of chips are, now or later
 * @param {Bench} bench
 * @returns {import("../data/state.js").Part}
 */
export function replace(root, bench) {
  const { store, answered } = bench;
  const { t } = store;
  /** @type {(() => void) | null} */
  let leave = null;
  root.addEventListener("dblclick", onPress);
  root.addEventListener("keydown", onKey);

  /** @param {Event} event */
  function onPress({ target }) {
    const chip = target instanceof Element ? target.closest("#tokens .chip, .context .chip") : null;
    if (chip) open(/** @type {HTMLElement} */ (chip));
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const strip = event.target instanceof Element && event.target.matches("#tokens .chips, .context .chips") && event.target;
    const chip = strip && event.key === "F2" && (strip.querySelector(".cursor") ?? strip.firstElementChild);
    if (!chip) return;
    event.preventDefault();
    open(/** @type {HTMLElement} */ (chip));
  }

  /** @param {HTMLElement} chip */
  function open(chip) {
    leave?.();
    const strip = /** @type {HTMLElement} */ (chip.parentElement);
    /** @type {Axis} */
    const axis = strip.closest(".context") ? "key" : "query";
    const { question, view } = store.get();
    const answer = answered.of(question);
    const place = { axis, batch: view.batch, at: [...strip.children].indexOf(chip) };
    if (!answer || place.at >= (wordsOf(answer.reply, axis).lengths[place.batch] ?? 0)) return; // padding
    const before = labelsOf(answer.reply, place.batch, axis)[place.at].text;
    leave = areNames(question, axis) ? refused(strip) : field(chip, before, take);

    /** @param {string} token */
    function take(token) {
      const now = store.get().question;
      const whole = answered.of(now);
      if (whole && token && token !== before) store.set({ question: withToken(now, whole, place, token) });
    }
  }

  /**
   * @param {HTMLElement} chip
   * @param {string} before
   * @param {(token: string) => void} take
   * @returns {() => void} takes the field away, and leaves the token as it is
   */
  function field(chip, before, take) {
    const strip = /** @type {HTMLElement} */ (chip.parentElement);
    const input = h("input", { class: "retype", value: before, "aria-label": t("change.token", { token: before }), autocomplete: "off", spellcheck: "false" });
    let open = true;
    const end = (/** @type {boolean} */ taken) => {
      if (!open) return;
      open = false;
      const held = document.activeElement === input;
      const token = input.value.trim();
      input.remove();
      leave = null;
      if (held) strip.focus({ preventScroll: true });
      if (taken) take(token);
    };
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

  /** @param {HTMLElement} strip @returns {() => void} */
  function refused(strip) {
    const note = h("p", { class: "retype note", role: "status" });
    over(note, strip);
    strip.after(note);
    note.textContent = t("change.names_alone");
    const shown = new AbortController();
    const gone = () => {
      note.remove();
      shown.abort();
      leave = null;
    };
    const anywhere = { capture: true, signal: shown.signal }; // a strip keeps its keys to itself
    document.addEventListener("pointerdown", gone, anywhere);
    document.addEventListener("keydown", gone, anywhere);
    return gone;
  }

  return {
    update(state, previous) {
      if (state.answer !== previous.answer || state.view.batch !== previous.view.batch) leave?.();
    },
    destroy() {
      leave?.();
      root.removeEventListener("dblclick", onPress);
      root.removeEventListener("keydown", onKey);
    },
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
