/** An exercise answered in the reader's own words. It shows a model answer and no mark. */

import { fill, h } from "../lib/dom.js";
import { prose } from "../lib/prose.js";

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
