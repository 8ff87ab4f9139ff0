/** Exercises: predict, then reveal. What is right is told by the server, which computes it. */

import { exercisesOf, marksOf, questionLink } from "../data/lessons.js";
import { fill, h } from "../lib/dom.js";
import { labelOf } from "./words.js";

const NUMBER = /^[+−–-]?(\d+[.,，]?\d*|[.,，]\d+)$/; // as people write it

/** @typedef {import("../data/lessons.js").Exercise} Exercise */
/** @typedef {import("../data/state.js").Store} Store */

/**
 * @param {HTMLElement} root
 * @param {Store} store
 * @param {string} chapter
 */
export async function practice(root, store, chapter) {
  const url = new URL(location.href);
  let seed = /^\d{1,9}$/.test(url.searchParams.get("seed") ?? "") ? Number(url.searchParams.get("seed")) : 0;
  const list = h("ol", { class: "exercises" });
  const sheet = h("a", { class: "button" }, store.t("practice.sheet"));
  const more = h("button", { class: "button", onclick: () => show(seed + 1) }, store.t("practice.more"));
  fill(root, list, h("p", { class: "ends" }, more, sheet));

  /** @param {number} next */
  async function show(next) {
    const lang = url.searchParams.get("lang");
    const exercises = await exercisesOf(chapter, next).catch(() => null);
    if (!exercises) {
      fill(list, h("li", { class: "error", role: "status" }, store.t("problem.offline")));
      return;
    }
    seed = next;
    if (seed) url.searchParams.set("seed", String(seed));
    else url.searchParams.delete("seed");
    history.replaceState(null, "", url.pathname + url.search + location.hash);
    sheet.href = `/learn/${chapter}/worksheet?seed=${seed}${lang ? `&lang=${lang}` : ""}`;
    fill(list, exercises.map((exercise, at) => h("li", {}, posed(exercise, at))));
  }

  /** @param {Exercise} exercise @param {number} at */
  function posed(exercise, at) {
    const { choices, question } = exercise;
    const group = `choice-${at}`;
    const field = choices.length
      ? h(
          "div",
          { class: "choices", role: "radiogroup", "aria-label": store.t("practice.answer") },
          choices.map(({ value, label }) =>
            h("label", {}, h("input", { type: "radio", name: group, value }), h("bdi", {}, label)),
          ),
        )
      : h("input", { name: group, inputmode: "decimal", autocomplete: "off", "aria-label": store.t("practice.answer") });
    const verdict = h("p", { class: "verdict", role: "status" });
    const form = h(
      "form",
      { class: "exercise", "data-kind": exercise.kind, onsubmit: check },
      h("p", { class: "prompt" }, exercise.prompt),
      given(exercise),
      h("div", { class: "reply" }, field, h("button", { class: "button main" }, store.t("practice.check"))),
      verdict,
    );

    /** @param {SubmitEvent} event */
    async function check(event) {
      event.preventDefault();
      const answer = String(new FormData(form).get(group) ?? "").trim();
      form.classList.remove("right", "wrong");
      if (!answer) return void (verdict.textContent = store.t("practice.first"));
      if (!choices.length && !NUMBER.test(answer)) return void (verdict.textContent = store.t("practice.number"));
      const answers = Array.from(list.children, (_, index) => (index === at ? answer : null));
      const marks = await marksOf(chapter, seed, answers).catch(() => null);
      if (!marks) return void (verdict.textContent = store.t("problem.offline"));
      const mark = marks[at];
      form.classList.add(mark.right ? "right" : "wrong");
      const told = store.t(mark.right ? "practice.right" : "practice.wrong", { answer: mark.answer });
      const link = question && h("a", { href: questionLink(question, store.page) }, store.t("live.open"));
      fill(verdict, told, " ", link);
    }
    return form;
  }

  /** The numbers an exercise starts from. @param {Exercise} exercise */
  function given({ given: matrices }) {
    return (
      matrices.length > 0 &&
      h(
        "div",
        { class: "given" },
        matrices.map(({ name, values }) =>
          h(
            "table",
            {},
            h("caption", {}, labelOf(store, name)),
            h("tbody", {}, values.map((row) => h("tr", {}, row.map((value) => h("td", {}, String(value).replace("-", "−")))))),
          ),
        ),
      )
    );
  }

  await show(seed);
}
