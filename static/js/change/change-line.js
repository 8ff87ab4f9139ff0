/** Names the answer from which the change is measured. */

import { setView } from "../core/actions.js";
import { fill, h } from "../lib/dom.js";
import { SHOWN_IN, stepsSince } from "./previous-answer.js";

/** @typedef {import("./previous-answer.js").Bench} Bench */

/** Suffix of the message key, and steps back. @param {Bench} bench */
export function sinceWords(bench) {
  const n = stepsSince(bench, bench.store.get().view.since ?? "");
  return { key: n === 0 ? "nothing" : n === null ? "mark" : n === 1 ? "step" : "steps", n };
}

/** @param {Store} store */
export const endChange = (store) => setView(store, { since: null });

export class ChangeLine {
  /** @param {HTMLElement} root @param {Bench} bench */
  constructor(root, bench) {
    const { store } = bench;
    const { t } = store;
    this.bench = bench;
    this.said = h("p", { role: "status" });
    this.again = this.button("change.from_now", () =>
      setView(store, { since: store.get().answer?.reply.trace ?? null }),
    );
    this.stages = this.button("change.to_stages", () => setView(store, { tab: "stages" }));
    const label = t("change.since_close");
    const away = { type: "button", class: "close", onclick: () => endChange(store), "aria-label": label, title: label };
    this.root = root;
    fill(this.root, this.said, this.stages, this.again, h("button", away, "✕"));
  }

  /** @param {string} key @param {() => void} onclick */
  button(key, onclick) {
    return h("button", { type: "button", class: "button", onclick }, this.bench.store.t(key));
  }

  /** @param {State} state @param {boolean} comparable @param {Problem | null | undefined} problem */
  update(state, comparable, problem) {
    const { tab } = state.view;
    const elsewhere = !SHOWN_IN.includes(tab);
    const { key, n } = sinceWords(this.bench);
    const { t } = this.bench.store;
    const way = comparable ? t(`change.since.${key}`, { n }) : t("change.since_sizes");
    const here = elsewhere ? t("change.since_not", { tab: t(`tab.${tab}`) }) : way;
    const text = problem ? this.why(problem) : here;
    if (this.said.textContent !== text) this.said.textContent = text;
    this.stages.hidden = !elsewhere;
    this.again.hidden = n === 0 || elsewhere;
  }

  destroy() {
    this.root.hidden = true;
    fill(this.root);
  }

  /** @param {Problem} problem */
  why({ code, message }) {
    const { t } = this.bench.store;
    return code === "unknown_trace" ? t("change.since_lost") : message || t("problem.offline");
  }
}
