import { setField as setFieldFor } from "../core/question-changes.js";
import { answerKey, fetchPart, keyedRequest } from "../core/traces.js";
import { refusal } from "../core/refusal-words.js";
import { isLong } from "../core/state.js";
import { fill, h } from "../lib/dom.js";
import { drawCacheBytes, drawSharedErrors } from "./cache-costs.js";
import { ContinueText } from "./continue-text.js";
import { DecodeOptions } from "./decode-options.js";
import { cache } from "./kv-cache.js";
import { StepPlayer, obstacleOf, stepsOf } from "./steps.js";

/** @typedef {{decoding: Replies.Decoding, trace: string | undefined}} Found */

/** @type {ViewOf} */
export const decode = (root, store) => new DecodeTab(root, store);

class DecodeTab {
  /** @type {Found | null} */
  found = null;
  /** @type {State | undefined} */
  drawn;

  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    this.root = root;
    this.store = store;
    this.options = new DecodeOptions(store);
    this.player = new StepPlayer(store);
    this.writing = new ContinueText(store);
    this.trouble = h("div", { class: "trouble", role: "status" });
    this.picture = h("section", { class: "card wide" });
    this.bytes = h("section", { class: "card" });
    const shared = h("section", { class: "card" });
    this.content = h("div", { class: "columns" }, this.picture, h("div", { class: "stack" }, this.bytes, shared));
    root.classList.add("theory", "decoding");
    fill(root, this.writing.root, this.options.root, this.trouble, this.player.root, this.content);
    this.want = keyedRequest(
      (/** @type {Found} */ found) => this.take(found),
      (problem) => this.refuse(problem),
      this.player.root,
      this.picture,
      this.bytes,
    );
    this.wantShared = keyedRequest(
      (/** @type {{variants: Replies.SharedHeads[]}} */ found) => drawSharedErrors(shared, store, found.variants),
      (problem) => fill(shared, h("p", { class: "muted" }, refusal(store, problem))),
      shared,
    );
  }

  /** @param {State} state */
  update(state) {
    if (state.view.tab !== "decode") return this.player.running ? this.player.pause() : undefined;
    if (!state.answer || isLong(state)) return;
    this.writing.show(state);
    if (isOther(state, this.drawn)) {
      const obstacle = obstacleOf(state, this.store.page);
      this.options.root.hidden = obstacle !== null;
      if (obstacle) this.closeFor(obstacle);
      else {
        this.ask(state);
        this.show(state);
      }
    }
    this.drawn = state;
  }

  destroy() {
    this.player.pause();
    this.root.replaceChildren();
  }

  /** @param {State} state */
  ask(state) {
    const { layer, head, batch } = state.view;
    const { prefill, at, whole } = stepsOf(state);
    const query = { layer, head, batch, prefill, steps: whole ? ":" : `${at}:${at + 1}` };
    const of = `${state.answer?.reply.trace} ${state.attempt}`;
    const ask = async () => ({ decoding: await fetchPart(state, "decode", query), trace: state.answer?.reply.trace });
    this.want(`${of} ${Object.values(query).join(" ")}`, ask, answerKey(state));
    this.wantShared(`${of} ${layer} ${batch}`, () => fetchPart(state, "sharing", { layer, batch }), answerKey(state));
  }

  /** @param {Found} found */
  take(found) {
    this.found = found;
    const state = this.store.get();
    if (!obstacleOf(state, this.store.page)) this.show(state);
  }

  /** @param {Problem} problem */
  refuse(problem) {
    this.found = null;
    this.options.root.hidden = true;
    this.close(h("p", {}, refusal(this.store, problem)));
  }

  /** @param {NonNullable<ReturnType<typeof obstacleOf>>} obstacle */
  closeFor({ why, way, field }) {
    const { store } = this;
    const press = () => setFieldFor(store, field, null);
    this.close(h("p", {}, store.t(why)), h("button", { class: "button", onclick: press }, store.t(way)));
  }

  /** @param {...Child} why */
  close(...why) {
    this.player.pause();
    fill(this.trouble, why);
    this.content.hidden = this.player.root.hidden = true;
  }

  /** @param {State} state */
  show(state) {
    const { store } = this;
    const { trace, attends_to } = state.answer?.reply ?? {};
    const decoding = this.found?.trace === trace ? this.found?.decoding : null;
    // Do not draw another layer's steps: layers of a decoder differ in what they attend to.
    if (attends_to && decoding?.layer !== state.view.layer) return this.options.show(state, stepsOf(state));
    const steps = stepsOf(state);
    this.options.show(state, steps);
    this.player.place(steps);
    const step = decoding?.steps[steps.whole ? steps.at : 0];
    if (!decoding || decoding.num_steps !== steps.count || !step || step.step !== steps.at) return;
    fill(this.trouble);
    this.content.hidden = this.player.root.hidden = false;
    this.player.say(state, steps, step);
    cache(this.picture, store, state, step, decoding.steps.at(-1) ?? step, decoding);
    drawCacheBytes(this.bytes, store, decoding, steps.at);
  }
}

/** @param {State} state @param {State} [drawn] */
const isOther = ({ answer, view, attempt, theme }, drawn) =>
  answer !== drawn?.answer || view !== drawn.view || attempt !== drawn.attempt || theme !== drawn.theme;
