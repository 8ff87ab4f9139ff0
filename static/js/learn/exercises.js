/** Exercises: predict, then reveal. What is right is told by the server, which computes it. */

import { exercisesOf, marksOf, questionLink } from "./lessons.js";
import { fill, h } from "../lib/dom.js";
import { newest } from "../lib/newest.js";
import { labelOf } from "../matrix/names.js";

const NUMBER = /^[+−–-]?(\d+[.,，]?\d*|[.,，]\d+)$/; // as people write it

/** @typedef {import("./lessons.js").Exercise} Exercise */
/** @typedef {import("./lessons.js").Mark} Mark */
/** @typedef {import("../core/state.js").Store} Store */
/** @typedef {ReturnType<typeof newest<Mark[]>>} Marking the newest answer is the one that is marked */
/** @typedef {{form: HTMLFormElement, verdict: HTMLElement, group: string, marking: Marking}} Posed */

/**
 * @param {HTMLElement} root
 * @param {Store} store
 * @param {string} chapter
 */
export const practice = (root, store, chapter) => new Exercises(root, store, chapter).begin();

/** The seed that the address names. */
function seedHere() {
  const named = new URL(location.href).searchParams.get("seed") ?? "";
  return /^\d{1,9}$/.test(named) ? Number(named) : 0;
}

/** @param {number} seed */
function writeSeed(seed) {
  const url = new URL(location.href);
  if (seed) url.searchParams.set("seed", String(seed));
  else url.searchParams.delete("seed");
  history.replaceState(null, "", url.pathname + url.search + url.hash);
}

class Exercises {
  /** @param {HTMLElement} root @param {Store} store @param {string} chapter */
  constructor(root, store, chapter) {
    this.store = store;
    this.chapter = chapter;
    this.seed = seedHere();
    const next = () => this.show(this.seed + 1);
    this.list = h("ol", { class: "exercises" });
    this.sheet = h("a", { class: "button" }, store.t("practice.sheet"));
    const more = h("button", { class: "button", onclick: next }, store.t("practice.more"));
    fill(root, this.list, h("p", { class: "ends" }, more, this.sheet));
  }

  begin() {
    return this.show(this.seed);
  }

  /** @param {number} seed */
  async show(seed) {
    const exercises = await exercisesOf(this.chapter, seed).catch(() => null);
    if (!exercises) {
      fill(this.list, h("li", { class: "error", role: "status" }, this.store.t("problem.offline")));
      return;
    }
    this.seed = seed;
    writeSeed(seed);
    const lang = new URL(location.href).searchParams.get("lang");
    this.sheet.href = `/learn/${this.chapter}/worksheet?seed=${seed}${lang ? `&lang=${lang}` : ""}`;
    fill(
      this.list,
      exercises.map((exercise, at) => h("li", {}, this.posed(exercise, at))),
    );
  }

  /** @param {Exercise} exercise @param {number} at */
  posed(exercise, at) {
    const { t } = this.store;
    const group = `choice-${at}`;
    const verdict = h("p", { class: "verdict", role: "status" });
    const form = h(
      "form",
      { class: "exercise", "data-kind": exercise.kind },
      h("p", { class: "prompt" }, exercise.prompt),
      exercise.given.length > 0 &&
        h(
          "div",
          { class: "given" },
          exercise.given.map((each) => this.matrix(each)),
        ),
      h(
        "div",
        { class: "reply" },
        this.field(exercise, group),
        h("button", { class: "button main" }, t("practice.check")),
      ),
      verdict,
    );
    const marking = newest(
      (/** @type {Mark[]} */ marks) => {
        form.classList.add(marks[at].right ? "right" : "wrong");
        fill(verdict, this.told(exercise, marks[at]));
      },
      () => void (verdict.textContent = t("problem.offline")),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.check(exercise, at, { form, verdict, group, marking });
    });
    return form;
  }

  /** Where the reader answers. @param {Exercise} exercise @param {string} name */
  field({ choices }, name) {
    const label = this.store.t("practice.answer");
    if (!choices.length) return h("input", { name, inputmode: "decimal", autocomplete: "off", "aria-label": label });
    const options = choices.map((choice) =>
      h("label", {}, h("input", { type: "radio", name, value: choice.value }), h("bdi", {}, choice.label)),
    );
    return h("div", { class: "choices", role: "radiogroup", "aria-label": label }, options);
  }

  /** @param {Exercise} exercise @param {number} at @param {Posed} posed */
  check(exercise, at, { form, verdict, group, marking }) {
    const { t } = this.store;
    const answer = String(new FormData(form).get(group) ?? "").trim();
    form.classList.remove("right", "wrong");
    marking.drop(); // what was asked before is not the answer that stands there now
    if (!answer) return void (verdict.textContent = t("practice.first"));
    if (!exercise.choices.length && !NUMBER.test(answer)) return void (verdict.textContent = t("practice.number"));
    const answers = Array.from(this.list.children, (_, index) => (index === at ? answer : null));
    marking.want(answer, () => marksOf(this.chapter, this.seed, answers));
  }

  /** What is right, and where it can be seen. @param {Exercise} exercise @param {Mark} mark */
  told({ question }, { right, answer }) {
    const { t, page } = this.store;
    const link = question && h("a", { href: questionLink(question, page) }, t("live.open"));
    return [t(right ? "practice.right" : "practice.wrong", { answer }), " ", link];
  }

  /** Numbers that an exercise starts from. @param {Exercise["given"][0]} given */
  matrix({ name, values }) {
    const cell = (/** @type {number} */ value) => h("td", {}, String(value).replace("-", "−"));
    const rows = values.map((row) => h("tr", {}, row.map(cell)));
    return h("table", {}, h("caption", {}, labelOf(this.store, name)), h("tbody", {}, rows));
  }
}
