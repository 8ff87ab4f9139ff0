import { lazyLoad } from "../lib/load.js";
import { newest } from "../lib/newest.js";
import { Answer } from "./answer.js";
import { Problem, attention, onProblem } from "./api.js";
import { headScope, requestOf } from "./heads-request.js";
import { skipOf } from "./left-out-keys.js";
import { fetchHeadMetrics } from "./traces.js";
import { headsInView } from "./combined-heads.js";
import { bodyOf } from "./question.js";
import { mergingOf } from "./word-lens.js";
import { inWords } from "./in-words.js";

/** @type {WeakSet<Store>} */
const started = new WeakSet();

/** @param {State} state @param {Answer} answer */
function everyOf(state, answer) {
  const { layer, head } = state.view;
  return { answer, masked: { answer: /** @type {Answer} */ (state.answer), layer, head } };
}

class AllHeads {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    const show = (/** @type {Every} */ every) => this.show(every);
    this.maps = newest(show, (error) => {
      throw error;
    });
    this.metrics = newest(
      (/** @type {Metrics[]} */ metrics) => store.set({ metrics }, { silent: true }),
      onProblem(() => store.set({ metrics: [] }, { silent: true })),
    );
  }

  /** @param {State} state */
  consider(state) {
    const { answer, attempt, every, view } = state;
    if (view.tab === "stages" || !answer) return;
    const { trace } = answer.reply;
    if (answer.numbers) this.fetchPictures(state, answer);
    else this.fetchNumbers(state, answer);
    if (every?.masked.answer.reply.trace === trace) this.measure(state);
  }

  /**
   * Fetches small pictures of all heads and larger pictures of chosen heads.
   * @param {State} state @param {Answer} answer
   */
  fetchPictures(state, answer) {
    const { attempt, view } = state;
    const chosen = headsInView(answer.reply, view);
    const key = JSON.stringify([attempt, answer.reply.trace, view.batch, chosen, skipOf(state)]);
    this.maps.want(key, async (signal) => {
      const { fetchEveryHead } = await lazyLoad(() => import("./stage-images.js"));
      return this.orOwn(state, answer, () => fetchEveryHead(this.store, chosen, signal));
    });
  }

  /** @param {State} state @param {Answer} answer */
  fetchNumbers(state, answer) {
    const { attempt, view } = state;
    const { trace } = answer.reply;
    const far = headScope(state, this.store.page);
    // The first part of a capture has the same trace, but fewer tensors.
    const key = [attempt, trace, answer.tensors?.size, far, far === "layer" && view.layer, far === "head" && view.head];
    this.maps.want(key.join(), (signal) => {
      if (!answer.heads || far === "head") return everyOf(state, answer);
      const asked = requestOf(state, far);
      return this.orOwn(state, answer, async () => new Answer(await attention(asked, signal), null));
    });
  }

  /**
   * Falls back to `answer` if the request fails.
   * @param {State} state @param {Answer} answer @param {() => Promise<Answer>} find
   */
  async orOwn(state, answer, find) {
    try {
      return everyOf(state, await find());
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return everyOf(state, answer);
    }
  }

  /** @param {Every} every */
  show(every) {
    const { every: before, metrics } = this.store.get();
    const again = metrics?.length && before?.answer.reply.trace === every.answer.reply.trace;
    this.store.set({ every, metrics: again ? metrics : null }, { silent: true });
    if (!again) this.metrics.drop();
    this.measure(this.store.get());
  }

  /** @param {State} state */
  measure({ every, view, question }) {
    if (!every) return;
    const { trace } = every.answer.reply;
    const own = trace === every.masked.answer.reply.trace ? {} : { dtype: "float32" };
    const body = { ...own, ...bodyOf(question) };
    const merging = mergingOf(inWords(this.store.get()));
    const key = JSON.stringify([trace, view.batch, merging]);
    this.metrics.want(key, async () => (await fetchHeadMetrics(trace, body, { batch: view.batch, ...merging })).heads);
  }
}

/** @param {Store} seen */
export function startAllHeads(seen) {
  const store = seen.base ?? seen;
  if (started.has(store)) return;
  started.add(store);
  const heads = new AllHeads(store);
  store.subscribe((state, previous) => {
    if (state.answer !== previous.answer || state.view !== previous.view || state.attempt !== previous.attempt)
      heads.consider(state);
  });
  heads.consider(store.get());
}
