import { Lru, newest, memoize } from "../lib/newest.js";
import { lazyLoad } from "../lib/load.js";
import { wait } from "../lib/retry.js";
import { unshown } from "./address/address.js";
import { Answer } from "./answer.js";
import { attention, call, onProblem, post } from "./api.js";
import { withLabels } from "./error-labels.js";
import { MLP, stagesOn, installedOf, mlpOf } from "./page.js";
import { bodyOf, guessShape, hasContext, hasMlp, isCaptured, missing, numbersIn } from "./question.js";
import { clampView, isLong } from "./state.js";

/**
 * `heads`: null for all heads.
 * @typedef {{key: string, body: Record<string, any>, heads: number[] | null, pictures?: boolean}} Plan
 */

const WHOLE = 500_000; // most numbers of an answer that is requested whole
const PAUSE = 150; // ms from a keystroke to the request, and from the request to the status "slow"
const KEPT = 12; // cached answers

/**
 * @param {State} state @param {Page} page @param [pictures] request pictures of large traces @returns {Plan}
 */
export function planOf(state, page, pictures = false) {
  const { question, view } = state;
  const mlp = installedOf(page, question)?.mlp ?? mlpOf(hasMlp(question) ? ["mlp"] : []);
  const stages = stagesOn(page).filter(
    ({ name }) => (name !== "context" || hasContext(question)) && (!MLP.includes(name) || mlp.includes(name)),
  );
  // The reply includes context and MLP only if they are named.
  const named = stages.length > page.stages.length && { stages: stages.map(({ name }) => name) };
  const asked = bodyOf(question);
  const body = { ...asked, ...named };
  const whole = JSON.stringify(body);
  const numbers = numbersIn(stages, guessShape(question, state.answer?.reply.shape ?? null));
  const isWhole = isCaptured(question) ? page.large_capture !== question.model.id : numbers <= WHOLE;
  if (isWhole) return { key: whole, body, heads: null };
  const { batch, layer, head, tab, stage, step, change, since, skip, tokens } = view;
  const heads = [head];
  // Whether the view needs all numbers of a head.
  const reads =
    change ||
    since ||
    tokens === "words" ||
    (skip.length && tab === "stages") ||
    tab === "lab" ||
    (tab === "gradients" && !state.answer?.reply.gradient_tokens);
  // Until the reply, the text may be too long for numbers.
  if (pictures && (!reads || state.status !== "ready" || isLong(state)))
    return { key: JSON.stringify([whole, batch, layer, head, tab, stage, !step]), body: asked, heads, pictures };
  const part = { layers: [layer], heads };
  return { key: JSON.stringify([whole, part]), body: { ...body, ...part }, heads };
}

class Asking {
  /** @param {Store} store @param {boolean} pictures */
  constructor(store, pictures) {
    this.store = store;
    this.pictures = pictures;
    this.shown = ""; // key; "" until answered
    this.opened = false;
    /** @type {Lru<Answer>} */
    this.known = new Lru(KEPT);
    /** @type {ReturnType<typeof memoize<Reply>>} */
    this.named = memoize(KEPT);
    this.requests = newest(
      (/** @type {Answer | null} */ overview) => overview && this.note({ overview }),
      onProblem((problem) =>
        this.note({ status: "failed", problem: withLabels(store.page, store.get().question, problem) }),
      ),
    );
  }

  /** @param {Partial<State>} patch */
  note(patch) {
    this.store.set(patch, { silent: true });
  }

  /** @param {State} state @param {number} pause ms */
  consider(state, pause) {
    const reason = missing(state.question);
    if (reason) {
      this.requests.drop();
      return this.note({ status: reason, problem: null });
    }
    const plan = planOf(state, this.store.page, this.pictures);
    // Undo may return to the shown answer.
    if (plan.key === this.shown && state.status === "asking") this.note({ status: "ready" });
    this.requests.want(`${state.attempt} ${plan.key}`, async (signal) => {
      if (pause) await wait(pause);
      return signal.aborted ? null : this.ask(plan, signal);
    });
  }

  /** @param {Plan} plan @param {AbortSignal} signal */
  async ask(plan, signal) {
    this.shown = "";
    this.note({ status: "asking" });
    const slow = setTimeout(() => signal.aborted || this.note({ status: "slow" }), PAUSE);
    try {
      const answer = this.known.get(plan.key) ?? (await this.answerTo(plan, signal));
      if (signal.aborted) return null;
      this.shown = plan.key;
      this.show(answer);
    } finally {
      clearTimeout(slow);
    }
    return plan.heads && this.pictures ? (await images()).overviewOf(this.store) : null;
  }

  /** @param {Plan} plan @param {AbortSignal} signal */
  async answerTo({ key, body, heads, pictures }, signal) {
    const show = (/** @type {Answer} */ one) => signal.aborted || this.show(one);
    if (pictures) {
      // Send the request while the script loads.
      const named = this.named(JSON.stringify(body), async () => (await call("/api/v1/traces", post(body))).json());
      return (await images()).answerInPictures(this.store, { body, named, signal }, show);
    }
    const first = this.store.page.first_part;
    if (!this.opened && first && first.id === body.model?.id)
      show(new Answer(await attention({ ...body, layers: first.layers }, signal), heads));
    const answer = new Answer(await attention(body, signal), heads);
    if (!signal.aborted) this.known.set(key, answer);
    return answer;
  }

  /** @param {Answer} answer */
  show(answer) {
    const state = this.store.get();
    const view = clampView(state, answer);
    const ignored = this.opened ? state.ignored : [...state.ignored, ...unshown(state.view, view)];
    this.opened = true;
    const overview = answer.heads ? state.overview : null;
    this.store.set(
      { answer, answered: state.question, view, ignored, overview, status: "ready", problem: null },
      { replace: true },
    );
  }
}

const images = () => lazyLoad(() => import("./stage-images.js"));

/** @param {Store} store @param [pictures] */
export function startAsking(store, pictures = false) {
  const asking = new Asking(store, pictures);
  store.subscribe((state, previous, how) => {
    const looked = state.answer?.heads
      ? state.view !== previous.view
      : state.view.layer !== previous.view.layer || state.view.head !== previous.view.head;
    const asked = state.question !== previous.question || state.attempt !== previous.attempt;
    if (asked || looked || state.answer !== previous.answer) asking.consider(state, how.typing ? PAUSE : 0);
  });
  asking.consider(store.get(), 0);
}
