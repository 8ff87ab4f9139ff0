/** Checks the reader's lines of code, which the server never executes. */

import { send } from "../core/any-reply.js";
import { isComposing } from "../lib/composing.js";
import { fill, h } from "../lib/dom.js";
import { save, readText } from "../lib/local-storage.js";

const BEFORE_REVEAL = 2; // wrong lines before the answer is offered

/** @param {Store} store */
export function startLines(store) {
  for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll(".line-form")))
    new Line(store, form);
}

class Line {
  /** @param {Store} store @param {HTMLFormElement} form */
  constructor(store, form) {
    this.store = store;
    this.form = form;
    this.stage = form.dataset.stage ?? "";
    this.storageKey = `line-${this.stage}`;
    this.wrong = 0;
    this.area = /** @type {HTMLTextAreaElement} */ (form.querySelector("textarea"));
    this.verdict = /** @type {HTMLElement} */ (form.querySelector(".verdict"));
    this.tick = /** @type {HTMLElement} */ (form.querySelector(".ticked"));
    this.reveal = /** @type {HTMLButtonElement} */ (form.querySelector("[data-reveal]"));
    this.area.value ||= readText(this.storageKey) ?? ""; // keep text typed before this script loaded
    this.area.addEventListener("input", () => save(this.storageKey, this.area.value));
    this.area.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
      event.preventDefault();
      form.requestSubmit();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.check(false);
    });
    this.reveal.addEventListener("click", () => void this.check(true));
    /** @type {HTMLButtonElement} */ (form.querySelector(".main")).disabled = false;
  }

  /** @param {boolean} reveal */
  async check(reveal) {
    const { t } = this.store;
    const line = this.area.value;
    const body = JSON.stringify({ stage: this.stage, line, reveal });
    const sent = await send("POST", "/api/v1/learn/lines", body).catch(() => null);
    if (line !== this.area.value) return; // the mark belongs to an earlier line
    if (!sent) return void (this.verdict.textContent = t("problem.offline"));
    const reply = JSON.parse(sent.text);
    if (sent.status >= 400) return void (this.verdict.textContent = reply.detail);
    this.show(reply);
  }

  /** @param {{right: boolean, said: string[], at: number | null, solution: string | null}} mark */
  show({ right, said, at, solution }) {
    const { t } = this.store;
    this.form.classList.toggle("right", right);
    this.form.classList.toggle("wrong", !right);
    this.tick.hidden = !right;
    if (!right) this.wrong += 1;
    this.reveal.hidden = right || this.wrong < BEFORE_REVEAL;
    const first = right ? t("line.right") : at === null ? t("practice.not_yet") : t("line.unread", { place: at + 1 });
    fill(
      this.verdict,
      h("p", {}, h("b", {}, first)),
      said.map((sentence) => h("p", {}, sentence)),
      solution !== null && h("p", {}, t("line.solution"), " ", h("code", { translate: "no" }, solution)),
    );
    if (at === null) return;
    this.area.focus();
    this.area.setSelectionRange(at, at + 1);
  }
}
