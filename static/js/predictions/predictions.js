import { positionOf, predicts } from "../core/position.js";
import { refusal } from "../core/refusal-words.js";
import { predictionQuery } from "../core/predictions.js";
import { answerKey, fetchPart, fetchPartOf, keyedRequest } from "../core/traces.js";
import { fill, h } from "../lib/dom.js";
import { likelyList } from "./likely-list.js";
import { SurpriseStrip } from "./surprise-strip.js";

/** @typedef {{now: Replies.Predictions, before: Replies.Predictions | null, trace: string | undefined}} Found */

/** @type {ViewOf} */
export const predictions = (root, store) => new PredictionsView(root, store);

class PredictionsView {
  /** @type {Found | null} */
  found = null;
  drawn = "";

  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    this.root = root;
    this.store = store;
    this.strip = new SurpriseStrip(store);
    this.noted = h("p", { class: "noted", role: "note", hidden: true }, store.t("predictions.noted"));
    this.likely = h("div", { class: "likely" });
    this.trouble = h("p", { class: "muted", role: "status" });
    root.classList.add("predictions");
    fill(root, this.noted, this.strip.root, this.likely, this.trouble);
    this.want = keyedRequest(
      (/** @type {Found} */ found) => this.take(found),
      (problem) => this.refuse(refusal(store, problem)),
      this.strip.root,
      this.likely,
    );
  }

  /** @param {State} state @param {State} [previous] */
  update(state, previous) {
    const { page } = this.store;
    this.root.hidden = !predicts(page, state);
    if (this.root.hidden || !state.answer || state.status !== "ready") return;
    this.noted.hidden = !state.answer.reply.notes?.length;
    const position = positionOf(page, state);
    const { batch } = state.view;
    const of = answerKey(state);
    this.want(`${of} ${position} ${state.attempt}`, () => this.ask(state, predictionQuery(position, batch)), of);
    if (this.found && state.theme !== previous?.theme) this.draw();
    else if (this.found && state.view !== previous?.view) this.strip.mark(state);
  }

  /**
   * @param {State} state @param {ReturnType<typeof predictionQuery>} query @returns {Promise<Found>}
   */
  async ask(state, query) {
    const { question, answer } = state;
    const whole = { ...question, drop: [] };
    const [now, before] = await Promise.all([
      fetchPart(state, "predictions", query),
      question.drop.length ? fetchPartOf(whole, "predictions", query) : null,
    ]);
    return { now, before, trace: answer?.reply.trace };
  }

  /** @param {Found} found */
  take(found) {
    this.found = found;
    this.draw();
  }

  draw() {
    const state = this.store.get();
    const { found } = this;
    if (!found || state.answer?.reply.trace !== found.trace) return; // found for an earlier answer
    fill(this.trouble);
    this.strip.root.hidden = this.likely.hidden = false;
    this.strip.draw(state, found.now);
    likelyList(this.likely, this.store, state, found.now, found.before);
  }

  /** @param {Child[]} why */
  refuse(why) {
    this.found = null;
    this.strip.root.hidden = this.likely.hidden = true;
    fill(this.trouble, why);
  }

  destroy() {
    this.root.replaceChildren();
  }
}
