import { fill, h } from "../lib/dom.js";
import { newest } from "../lib/newest.js";
import { prose } from "../lib/prose.js";
import { questionLink } from "./lessons.js";

/** @import {Exercise, Mark} from "./lessons.js" */

const LONGEST = 200;
const MOST_LETTERS = 28; // letters; longer choices are stacked
const WIDE = /[\u2e80-\uffef]/g; // Chinese characters, as wide as two letters

export class MarkedExercise {
  /**
   * @param {Store} store @param {Exercise} exercise @param {string} group
   * @param {(answer: string, at: 1 | 2) => Promise<Mark>} mark
   * @param {{is: () => boolean, note: () => void, wasShown: () => boolean, noteShown: () => void}} solved
   * @param {() => void} another poses the exercise with another seed
   */
  constructor(store, exercise, group, mark, solved, another) {
    this.store = store;
    this.exercise = exercise;
    this.group = group;
    this.mark = mark;
    this.solved = solved;
    this.another = another;
    /** @type {1 | 2} number of the next try */
    this.at = 1;
    this.tried = ""; // last answer, if a hint followed
    this.verdict = h("div", { class: "verdict", role: "status" });
    this.tick = h("span", { class: "ticked" }, "✓ ", store.t("practice.solved"));
    this.button = h("button", { class: "button main" }, store.t("practice.check"));
    this.root = this.form();
    this.recall();
    this.marking = newest(
      (/** @type {Mark} */ found) => this.showMark(found),
      (error) => {
        const refused = error instanceof Error && error.cause; // else the connection was lost
        this.verdict.textContent = refused ? error.message : store.t("problem.offline");
      },
    );
  }

  form() {
    const { exercise, verdict, button } = this;
    const given = exercise.given.map((each) => this.matrix(each));
    const form = h(
      "form",
      { class: "exercise", "data-kind": exercise.kind },
      h("p", { class: "prompt" }, prose(exercise.prompt), " ", this.tick),
      given.length > 0 && h("div", { class: "given" }, given),
      h("div", { class: "reply" }, this.field(exercise), button),
      verdict,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.check();
    });
    return form;
  }

  /** @param {Exercise} exercise */
  field({ choices }) {
    const name = this.group;
    const label = this.store.t("practice.answer");
    if (!choices.length) return h("input", { name, inputmode: "decimal", autocomplete: "off", "aria-label": label });
    const options = choices.map((choice) =>
      h("label", {}, h("input", { type: "radio", name, value: choice.value }), h("bdi", {}, prose(choice.label))),
    );
    const sentences = options.some(({ textContent }) => textContent.replace(WIDE, "xx").length > MOST_LETTERS);
    const group = { class: "choices", role: "radiogroup", "aria-label": label, "data-sentences": sentences };
    return h("div", group, options);
  }

  recall() {
    this.tick.hidden = !this.solved.is();
  }

  check() {
    const { t } = this.store;
    const answer = String(new FormData(this.root).get(this.group) ?? "").trim();
    if (answer && answer === this.tried) return; // the button was pressed twice
    this.root.classList.remove("right", "wrong");
    this.marking.drop();
    if (!answer) return void (this.verdict.textContent = t("practice.first"));
    if (answer.length > LONGEST) return void (this.verdict.textContent = t("practice.too_long", { most: LONGEST }));
    this.asked = answer;
    this.marking.want(answer, () => this.mark(answer, this.at));
  }

  /** @param {Mark} mark */
  showMark(mark) {
    const { t } = this.store;
    if (mark.unreadable) return void (this.verdict.textContent = t("practice.number"));
    this.root.classList.add(mark.right ? "right" : "wrong");
    this.tried = mark.hint ? (this.asked ?? "") : "";
    if (mark.hint) this.at = 2;
    const copied = mark.right && this.solved.wasShown();
    fill(
      this.verdict,
      mark.hint ? this.hintParts(mark.hint, mark.near) : this.verdictParts(mark),
      copied && this.offer(),
    );
    if (!mark.right && !mark.hint) this.solved.noteShown();
    if (mark.right && !copied) this.solved.note();
    this.recall();
    this.button.textContent = t(mark.hint ? "practice.again" : "practice.check");
  }

  /** @param {string} hint @param {string | null} near */
  hintParts(hint, near) {
    const { t } = this.store;
    const said = near && h("p", { class: "near" }, prose(near));
    return [
      h("p", {}, t("practice.not_yet")),
      said,
      h("p", { class: "hint" }, h("b", {}, t("practice.hint")), " ", prose(hint)),
    ];
  }

  /** Offers another exercise, as a revealed answer does not count. */
  offer() {
    const { t } = this.store;
    const button = h("button", { type: "button", class: "button", onclick: this.another }, t("practice.another"));
    return h("p", { class: "shown-before" }, t("practice.revealed"), " ", button);
  }

  /** @param {Mark} mark */
  verdictParts({ right, answer, worked, near }) {
    const { t, page } = this.store;
    const { question } = this.exercise;
    const link = question && h("a", { href: questionLink(question, page) }, t("live.open"));
    const whole = /[.。]$/.test(answer ?? ""); // the answer is a sentence
    const verdict = whole
      ? t(right ? "practice.right_alone" : "practice.wrong_alone")
      : t(right ? "practice.right" : "practice.wrong", { answer });
    return [
      h("p", {}, prose(verdict), t("text.between"), link),
      near && h("p", { class: "near" }, prose(near)),
      worked && h("p", { class: "way" }, prose(worked)),
    ];
  }

  /** @param {Exercise["given"][0]} given */
  matrix({ label, values }) {
    const cell = (/** @type {number} */ value) => h("td", { translate: "no" }, String(value).replace("-", "−"));
    const rows = values.map((row) => h("tr", {}, row.map(cell)));
    return h("table", {}, h("caption", {}, prose(label)), h("tbody", {}, rows));
  }
}

const LEAST = 2;

export class OwnWords {
  /**
   * @param {Store} store
   * @param {import("./lessons.js").Exercise} exercise
   * @param {() => Promise<import("./lessons.js").Mark>} reveal
   */
  constructor(store, exercise, reveal) {
    const { t } = store;
    this.store = store;
    this.reveal = reveal;
    this.box = h("textarea", { rows: 3, spellcheck: "false", "aria-label": t("practice.sentence") });
    this.verdict = h("div", { class: "verdict", role: "status" });
    this.root = h(
      "form",
      { class: "exercise own-words", "data-kind": exercise.kind },
      h("p", { class: "prompt" }, prose(exercise.prompt)),
      this.box,
      h("div", { class: "reply" }, h("button", { class: "button main" }, t("practice.compare"))),
      h("p", { class: "muted" }, t("practice.not_marked")),
      this.verdict,
    );
    this.root.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.compare();
    });
  }

  async compare() {
    const { t } = this.store;
    if (this.box.value.trim().length < LEAST) return void (this.verdict.textContent = t("practice.sentence_first"));
    const found = await this.reveal().catch(() => null);
    if (!found) return void (this.verdict.textContent = t("problem.offline"));
    fill(
      this.verdict,
      h("p", { class: "model-answer" }, h("b", {}, t("practice.model")), " ", prose(found.answer ?? "")),
      h("p", { class: "muted" }, prose(found.worked ?? "")),
    );
  }
}
