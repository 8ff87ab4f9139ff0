/** Opens a text file; chooses whether each line is a text. */

import { setQuestion } from "../core/question-changes.js";
import { TEXTS } from "../core/address/hash.js";
import { sentences } from "../core/question.js";
import { fill, h } from "../lib/dom.js";
import { s } from "../lib/svg.js";
import { cutButton, seededButton, textAt } from "./cut-text.js";
import { isTooLong, openText, refuseText, refusedText, withBreaks, withWhole } from "./text-file.js";

let made = 0;

/** @type {ViewOf} */
export const textTools = (root, store) => new TextTools(root, store);

class TextTools {
  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    this.store = store;
    this.gone = new AbortController();
    /** @type {State["question"] | null} question after a paste of lines */
    this.pasted = null;
    /** @type {{lines: number, whole: boolean} | null} `whole`: the box contains only the paste */
    this.pasting = null;
    this.open = openButton(store);
    this.ways = [false, true].map((breaks) => this.way(breaks));
    this.count = h("span", { class: "count" });
    this.offer = h("p", { class: "offer", role: "status" });
    this.trouble = h("p", { class: "error", role: "alert" });
    const legend = h("legend", { class: "hidden" }, store.t("breaks.label"));
    const ways = this.ways.map(({ label }) => label);
    this.lines = h("fieldset", { class: "line-breaks" }, legend, ways, this.count);
    this.root = h("div", { class: "text-tools" }, this.lines, this.offer, this.trouble);
    root.querySelector(".open-text")?.remove(); // placeholder in the HTML
    root.append(this.open, this.root); // in tab order
    const { signal } = this.gone;
    root.addEventListener("paste", (event) => this.onPaste(event), { signal });
    root.addEventListener("input", (event) => this.onInput(event), { signal });
  }

  /** @param {boolean} breaks */
  way(breaks) {
    const { store } = this;
    const choose = () => setQuestion(store, withBreaks(store.get().question, breaks));
    const input = h("input", { type: "radio", name: `breaks-${Math.floor(made++ / 2)}`, onchange: choose });
    return { input, label: h("label", {}, input, store.t(breaks ? "breaks.text" : "breaks.texts")) };
  }

  /** Refuses a paste that the box would cut. @param {ClipboardEvent} event */
  onPaste(event) {
    const { target } = event;
    if (!(target instanceof HTMLTextAreaElement)) return;
    const { page, get } = this.store;
    const pasted = event.clipboardData?.getData("text/plain") ?? "";
    const { value, selectionStart, selectionEnd } = target;
    const limit = page.limits.max_characters;
    const [before, after] = [value.slice(0, selectionStart), value.slice(selectionEnd)];
    this.pasting = null;
    if (isTooLong(before + pasted + after, limit)) {
      event.preventDefault();
      return refuseText(this.store, boxOf(target), "text_file.paste_too_long", { limit });
    }
    const lines = pasted.split("\n").filter((line) => line.trim() !== "").length;
    const whole = (before + after).trim() === "";
    if ((whole ? /[\n\r]/.test(pasted) : lines > 1) && !get().question.breaks) this.pasting = { lines, whole };
  }

  /** @param {Event} event */
  onInput({ target }) {
    if (!(target instanceof HTMLTextAreaElement)) return;
    if (refusedText(this.store.get())) this.store.set({ unchanged: null }, { silent: true });
    const { pasting, store } = this;
    this.pasting = null;
    // A paste into an empty box is one text, like a file.
    if (pasting?.whole)
      setQuestion(store, withWhole(store.get().question, boxOf(target), target.value), { typing: true, replace: true });
    this.pasted = pasting && store.get().question;
    if (pasting && pasting.lines > 1) this.offerOther(pasting);
  }

  /** @param {{lines: number, whole: boolean}} pasting */
  offerOther({ lines, whole }) {
    const { store } = this;
    const turn = () => {
      this.ways[whole ? 0 : 1].input.focus(); // the focused button disappears
      setQuestion(store, withBreaks(store.get().question, !whole));
    };
    const button = h("button", { type: "button", class: "link", onclick: turn });
    button.textContent = store.t(whole ? "breaks.part" : "breaks.join");
    fill(
      this.offer,
      store.t(whole ? "breaks.pasted_whole" : "breaks.pasted", { lines }),
      store.t("text.between"),
      button,
    );
  }

  /** @param {State} state @param {State} [previous] */
  update(state, previous) {
    const { question } = state;
    this.trouble.textContent = refusedText(state);
    if (question !== previous?.question || state.problem !== previous.problem) this.offerCuts(state);
    if (question !== this.pasted) fill(this.offer);
    if (question === previous?.question) return;
    const { breaks } = question;
    this.lines.hidden = !breaks && !TEXTS.some((name) => question[name]?.includes("\n"));
    if (this.lines.hidden) return;
    this.ways.forEach(({ input }, at) => (input.checked = breaks === Boolean(at)));
    const texts = sentences(question).length;
    const lines = question.text.split("\n").length;
    const counted = breaks && texts === 1 ? { n: lines, what: "breaks.lines" } : { n: texts, what: "breaks.count" };
    this.count.textContent = texts ? this.store.t(counted.what, { n: counted.n }) : "";
  }

  /** @param {State} state */
  offerCuts({ problem, question }) {
    const n = sentences(question).length;
    for (const refusal of problem?.errors.filter(({ end }) => end) ?? []) {
      const field = TEXTS.find((name) => refusal.at?.match(/^\w+/)?.[0] === name);
      const box = [...(this.root.parentElement?.querySelectorAll("textarea") ?? [])].find(
        (one) => boxOf(one) === field,
      );
      const beside = box?.parentElement?.querySelector(".error");
      if (!field || !box || !beside) continue;
      if (n > 1) beside.append(" ", this.store.t("text.which", { at: textAt(refusal.at) + 1, n }));
      beside.append(" ", cutButton(this.store, field, box, refusal), " · ", seededButton(this.store, box));
    }
  }

  destroy() {
    this.gone.abort();
    this.open.remove();
    this.root.remove();
  }
}

/** @param {HTMLElement} box */
function boxOf(box) {
  const field = box.closest("[data-field]")?.getAttribute("data-field");
  return TEXTS.find((name) => name === field) ?? "text";
}

/** @param {Store} store */
function openButton(store) {
  const name = store.t("text_file.open");
  const files = h("input", { type: "file", accept: ".txt,.text,.md,.markdown,text/plain,text/markdown", hidden: true });
  files.addEventListener("change", () => {
    const chosen = [...(files.files ?? [])];
    files.value = ""; // the same file may be chosen again
    openText(store, chosen, "text");
  });
  const sheet = s("path", { d: "M4 1.5h5.5L13 5v9.5H4zM9.5 1.5V5H13M6 8h5M6 11h5" });
  const icon = s("svg", { viewBox: "0 0 17 16", width: 17, height: 16, "aria-hidden": "true" }, sheet);
  const press = () => files.click();
  const button = h("button", { type: "button", "aria-label": name, title: name, onclick: press }, icon);
  return h("span", { class: "open-text" }, button, files);
}
