/** Fetches and caches 8-bit pictures of large stages. */

import { QuantizedMap } from "../lib/quantized.js";
import { Lru, memoize } from "../lib/newest.js";
import { requestOf, headScope } from "./heads-request.js";
import { Answer, replyAt } from "./answer.js";
import { Problem, attention, call, post } from "./api.js";
import { ExactNumbers } from "./exact-numbers.js";
import { HeadPictures, PictureAnswer, keyOf, placeOf } from "./picture-answer.js";
import { skipOf } from "./left-out-keys.js";
import { sizesOf, stageOf } from "./page.js";
import { bodyOf } from "./question.js";
import { HEAD_TABS, shownStages, selection } from "./state.js";
import { fetchOfTrace } from "./traces.js";
import { hasPieces } from "./word-answer.js";

/** @typedef {import("./picture-answer.js").Place} Place */
/** @typedef {{numbers?: unknown, skip?: string}} Skipping `skip`: see `skipOf` */
/** @typedef {Place & {size: number, cells: [number, number]}} Wish `size`: most pixels a side */

const CARD = 512; // pixels a side
const LARGE = 1024;
const SIZES = [512, 256, 128, 64, 32, 16];
const SELECTOR = { most: 128, room: 600_000 }; // pixels: `most` a side, `room` for all heads
const TILES = { most: 256, room: 1_600_000 };
const TOGETHER = { most: 512, room: 2_000_000 };
const KEPT = 16_000_000; // cached pixels of a trace
const TRACES = 4;
const OVERVIEWS = 6;

class TracePictures {
  /** @param {Store} store @param {Record<string, unknown>} body @param {Reply} reply @param {string} skip */
  constructor(store, body, reply, skip) {
    this.body = body;
    this.reply = reply;
    this.skip = skip;
    const arrived = () => store.set({ exact: store.get().exact + 1 }, { silent: true });
    this.numbers = new ExactNumbers(reply, body, arrived, skip);
    /** @type {Map<string, QuantizedMap>} oldest first */
    this.pictures = new Map();
    /** @type {PictureAnswer | null} */
    this.answer = null;
  }

  /** Wishes whose pictures are missing or too coarse. @param {Wish[]} wishes */
  missing(wishes) {
    return wishes.filter((wish) => {
      const found = this.pictures.get(keyOf(wish));
      return !found || (!found.isWhole && found.size < wish.size);
    });
  }

  /** @param {Wish} wish @param {AbortSignal} signal */
  async ask(wish, signal) {
    const { name, layer, head, batch, size, cells } = wish;
    const spacing = name === "weights" ? "root" : "even"; // most weights of many keys are near 0
    const query = `layer=${layer}&head=${head}&batch=${batch}&size=${size}&encoding=u8&spacing=${spacing}${skipQuery(this)}`;
    const path = `${this.reply.trace}/pictures/${name}?${query}`;
    const { bytes, shape, range, side } = await fetchPicture(path, this.body, signal);
    const points = /** @type {[number, number]} */ (shape);
    const found = new QuantizedMap(bytes, { cells, points, side, range, size, spacing });
    found.setSource(this.numbers, { stage: name, layer, head, batch });
    return { wish, found };
  }

  /** @param {Wish[]} wishes @param {AbortSignal} signal @returns whether pictures arrived */
  async fill(wishes, signal) {
    const come = await Promise.all(this.missing(wishes).map((wish) => this.ask(wish, signal)));
    for (const { wish, found } of come) {
      this.pictures.delete(keyOf(wish));
      this.pictures.set(keyOf(wish), found);
    }
    this.evictPictures();
    return come.length > 0;
  }

  evictPictures() {
    let points = 0;
    for (const [name, { points: sides }] of [...this.pictures].reverse()) {
      points += sides[0] * sides[1];
      if (points > KEPT) this.pictures.delete(name);
    }
  }

  /**
   * Returns the same answer until another picture arrives.
   * @param {number} head @param {boolean} come whether one arrived
   */
  answerOf(head, come) {
    if (this.answer && !come && this.answer.heads[0] === head) return this.answer;
    this.answer = new PictureAnswer(this.reply, head, new Map(this.pictures), this.numbers);
    return this.answer;
  }
}

/** @type {WeakMap<Store, Lru<TracePictures>>} */
const picturesByStore = new WeakMap();
/** @type {ReturnType<typeof memoize<import("./picture-answer.js").Sent & {side: [number, number]}>>} */
const overviews = memoize(OVERVIEWS);

/** @param {string} path @param {Record<string, unknown>} body @param {AbortSignal} signal */
async function fetchPicture(path, body, signal) {
  /** @param {Response} response */
  const read = async (response) => {
    const numbersIn = (/** @type {string} */ name) => (response.headers.get(name) ?? "").split(",").map(Number);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const [range, side] = /** @type {[number, number][]} */ ([numbersIn("X-Range"), numbersIn("X-Side")]);
    return { bytes, shape: numbersIn("X-Shape"), range, side };
  };
  return fetchOfTrace(`/api/v1/traces/${path}`, body, signal, read);
}

/** @param {{skip: string}} shelf */
const skipQuery = ({ skip }) => (skip ? `&skip=${skip}` : "");

/**
 * @param {Store} store @param {Record<string, unknown>} body @param {Promise<Reply>} [named] already requested
 * @param [skip] @returns {Promise<TracePictures>}
 */
async function picturesOf(store, body, named, skip = "") {
  const own = picturesByStore.get(store) ?? new Lru(TRACES);
  picturesByStore.set(store, own);
  const key = JSON.stringify([body, skip]);
  const known = own.get(key);
  if (known) return known;
  const name = async () => (await call("/api/v1/traces", post(body))).json();
  const reply = skip ? (await picturesOf(store, body, named)).reply : await (named ?? name());
  const shelf = new TracePictures(store, body, reply, skip);
  own.set(key, shelf);
  return shelf;
}

/** Every tab needs the weights for the row of tokens. @param {Page} page @param {State} state @returns {Wish[]} */
function wishesOf(page, state) {
  const reply = /** @type {Answer} */ (state.answer).reply;
  const { tab, stage: large, step } = state.view;
  const stages = tab === "stages" || step ? shownStages(page, state) : [stageOf(page, "weights")];
  const sizes = sizesOf(reply.shape, reply.mlp_width);
  return stages.map((stage) => {
    const place = placeOf(stage, selection(state), reply);
    const [rows, cols] = stage.axes.slice(-2).map((axis) => sizes[axis]);
    return { ...place, cells: [rows, cols], size: stage.name === large ? LARGE : CARD };
  });
}

/**
 * Shows the first answer's weights first, for slow connections.
 * @param {Store} store @param {{body: Record<string, unknown>, named: Promise<Reply>, signal: AbortSignal}} question
 * @param {(answer: Answer) => void} show
 */
export async function answerInPictures(store, { body, named, signal }, show) {
  const shelf = await picturesOf(store, body, named);
  const now = store.get();
  const { num_layers, num_heads, batch } = shelf.reply.shape;
  const view = { ...now.view };
  view.layer = Math.min(view.layer, num_layers - 1);
  view.head = Math.min(view.head, num_heads - 1);
  view.batch = Math.min(view.batch, batch - 1);
  const state = { ...now, view, answer: /** @type {any} */ ({ reply: replyAt(shelf.reply, view.layer) }) };
  const wishes = wishesOf(store.page, state);
  // A prefetch may fail: the tab asks again.
  if (HEAD_TABS.includes(view.tab) && !view.skip.length) thumbnailsOf(shelf, view.batch, TILES).catch(() => {});
  const answer = (/** @type {boolean} */ come) =>
    /** @type {Answer} */ (/** @type {unknown} */ (shelf.answerOf(view.head, come)));
  if (now.answer === null) {
    const weights = wishes.filter(({ name }) => name === "weights");
    const come = await shelf.fill(weights, signal);
    if (wishes.length > 1) show(answer(come));
  }
  return answer(await shelf.fill(wishes, signal));
}

/** @param {number} heads @param {number} cells of the longer side @param {{most: number, room: number}} limits */
const sizeOf = (heads, cells, { most, room }) =>
  SIZES.find((size) => size <= most && heads * Math.min(size, cells) ** 2 <= room) ?? SIZES[SIZES.length - 1];

/**
 * Null if there is one head.
 * @param {TracePictures} shelf @param {number} batch @param {{most: number, room: number}} limits
 */
async function thumbnailsOf(shelf, batch, limits) {
  const { reply, body } = shelf;
  const { num_layers, num_heads, n, m } = reply.shape;
  if (num_layers * num_heads < 2) return null;
  const size = sizeOf(num_layers * num_heads, Math.max(n, m), limits);
  const path = `${reply.trace}/thumbnails/weights?batch=${batch}&size=${size}&encoding=u8&spacing=root${skipQuery(shelf)}`;
  return { batch, size, ...(await overviews(path, () => fetchPicture(path, body, new AbortController().signal))) };
}

/**
 * Null if there is one head, the request fails, or the tab draws every head.
 * @param {Store} store @returns {Promise<Answer | null>}
 */
export async function overviewOf(store) {
  const { answer, overview, question, view } = store.get();
  if (!answer || HEAD_TABS.includes(view.tab)) return null;
  try {
    const { signal } = new AbortController();
    if (view.tokens === "words" && hasPieces(answer.reply) && headScope(store.get(), store.page) === "all")
      return new Answer(await attention(requestOf(store.get(), "all"), signal), null); // words are merged from numbers
    const shelf = await picturesOf(store, bodyOf(question));
    const found = await thumbnailsOf(shelf, view.batch, SELECTOR);
    if (!found) return null;
    const known = /** @type {HeadPictures | null} */ (/** @type {unknown} */ (overview));
    if (known?.thumbnails?.bytes === found.bytes) return overview;
    return /** @type {any} */ (new HeadPictures(shelf.reply, found, new Map(), shelf.numbers));
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    return null;
  }
}

/**
 * @param {Store} store @param {import("./combined-heads.js").Place[]} chosen @param {AbortSignal} signal
 * @returns {Promise<Answer>} @throws {Problem}
 */
export async function fetchEveryHead(store, chosen, signal) {
  const state = store.get();
  const { batch } = state.view;
  const skip = skipOf(state);
  const shelf = await picturesOf(store, bodyOf(state.question), undefined, skip);
  const { n, m } = shelf.reply.shape;
  const size = sizeOf(chosen.length, Math.max(n, m), TOGETHER);
  const wishes = chosen.map(({ layer, head }) => {
    const its = replyAt(shelf.reply, layer).shape;
    return { name: "weights", batch, layer, head, size, cells: /** @type {[number, number]} */ ([its.n, its.m]) };
  });
  const [thumbnails] = await Promise.all([thumbnailsOf(shelf, batch, TILES), shelf.fill(wishes, signal)]);
  return /** @type {any} */ (new HeadPictures(shelf.reply, thumbnails, new Map(shelf.pictures), shelf.numbers, skip));
}
