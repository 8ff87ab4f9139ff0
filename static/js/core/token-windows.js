/** Fetches visible tokens of a long text into the labels that all views share. */

import { Lru } from "../lib/newest.js";
import { labelsOf, wholeOf, wordsOf } from "./answer.js";
import { bodyOf } from "./question.js";
import { requestsByReader, fetchOfTrace } from "./traces.js";

/** @typedef {{rows: Span, total: number, tokens: (string | null)[] | null, offsets: (Span | null)[]}} Told */

const PART = 1000; // tokens fetched at once
const KEPT = 64; // cached parts
const MOST = 10_000; // most tokens in a reply
const AXES = /** @type {const} */ (["query", "key"]);

/** @param {Reply} reply */
export const inParts = (reply) => wholeOf(reply).offsets === null;

/**
 * @param {Pick<State, "question" | "view"> & {answer: {reply: Reply} | null}} state @param {Axis} axis
 * @param {Span} span @param {AbortSignal} signal @returns {Promise<Told>} @throws {Problem}
 */
export function tokensIn({ question, view, answer }, axis, [start, end], signal) {
  const reply = /** @type {{reply: Reply}} */ (answer).reply;
  const context = axis === "key" && reply.context_lengths !== null;
  const query = `rows=${start}:${end}&batch=${view.batch}&context=${context}`;
  return fetchOfTrace(`/api/v1/traces/${reply.trace}/tokens?${query}`, bodyOf(question), signal);
}

/** @type {WeakMap<Label[], Lru<boolean>>} parts that arrived */
const known = new WeakMap();

/** @param {Label[]} labels */
function partsOf(labels) {
  const parts = known.get(labels) ?? new Lru(KEPT);
  known.set(labels, parts);
  return parts;
}

/** @param {Label[]} labels @param {number} start @param {(string | null)[] | null} tokens null: writes positions */
function write(labels, start, tokens) {
  const end = Math.min(labels.length, start + (tokens?.length ?? PART));
  for (let at = start; at < end; at += 1) {
    const token = tokens ? tokens[at - start] : String(at);
    labels[at] = { text: token ?? "", index: tokens && token !== null ? at : null };
  }
}

class TokenWindows {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    this.requestOf = requestsByReader((/** @type {() => void} */ take) => take());
  }

  /** Fetches tokens; drops the reader's last request. @param {string} reader @param {Axis} axis @param {Span} span */
  want(reader, axis, [start, end]) {
    const state = this.store.get();
    const { answer, view } = state;
    if (!answer || !inParts(answer.reply) || end <= start) return;
    const labels = labelsOf(answer.reply, view.batch, axis);
    const parts = partsOf(labels);
    const missing = [];
    for (let part = Math.floor(start / PART); part * PART < Math.min(end, labels.length); part += 1)
      if (!parts.get(part)) missing.push(part);
    if (missing.length === 0) return this.requestOf(reader).drop();
    const from = missing[0] * PART;
    const to = Math.min(labels.length, (missing[missing.length - 1] + 1) * PART, from + MOST);
    const key = `${answer.reply.trace} ${view.batch} ${axis} ${from} ${to}`;
    this.requestOf(reader).want(key, async (signal) => {
      const { tokens } = await tokensIn(state, axis, [from, to], signal);
      return () => this.take(labels, from, to, tokens);
    });
  }

  /** Like `want`, for positions far apart. @param {string} reader @param {Axis} axis @param {number[]} places */
  wantEach(reader, axis, places) {
    const parts = new Set(places.map((at) => Math.floor(at / PART) * PART));
    [...parts].forEach((start, i) => this.want(`${reader} ${axis} ${i}`, axis, [start, start + 1]));
  }

  /** @param {Label[]} labels @param {number} from @param {number} to @param {(string | null)[] | null} tokens */
  take(labels, from, to, tokens) {
    const parts = partsOf(labels);
    for (let start = from; start < to; start += PART) {
      if (tokens) write(labels, start, tokens.slice(start - from, start - from + PART));
      const [oldest] = parts.values.keys();
      parts.set(start / PART, true);
      if (parts.values.size === KEPT && !parts.values.has(oldest)) write(labels, Number(oldest) * PART, null);
    }
    this.store.set({ named: this.store.get().named + 1 }, { silent: true });
  }
}

/** @type {WeakMap<Store, TokenWindows>} */
const made = new WeakMap();

/** @param {Store} store */
export function windowsOf(store) {
  const own = store.base ?? store;
  const windows = made.get(own) ?? new TokenWindows(own);
  made.set(own, windows);
  return windows;
}

/** Fetches tokens that are hovered, pointed, pinned or picked. @param {Store} store */
export function startTokenWindows(store) {
  const windows = windowsOf(store);
  const span = (/** @type {number} */ at) => /** @type {Span} */ ([at, at + 1]);
  store.subscribe(({ answer, hover, view, pointed }, previous) => {
    if (!answer || !inParts(answer.reply)) return;
    const fresh = answer !== previous.answer || view.batch !== previous.view.batch;
    const cells = {
      hover: hover !== previous.hover && hover,
      cell: (fresh || view.cell !== previous.view.cell) && view.cell,
    };
    for (const [name, cell] of Object.entries(cells)) {
      if (!cell) continue;
      const at = { query: cell.row, key: cell.col };
      for (const axis of AXES)
        if (at[axis] < wordsOf(answer.reply, axis).size) windows.want(`${name} ${axis}`, axis, span(at[axis]));
    }
    if (pointed && pointed !== previous.pointed) windows.want("pointed", pointed.axis, span(pointed.at));
    const { picked } = view;
    if (picked && (fresh || picked !== previous.view.picked))
      windows.want("picked", picked.axis, span(picked.at[picked.at.length - 1]));
  });
}

/** @param {string} text @param {number} size */
export const typedPosition = (text, size) => (/^\d+$/.test(text) && Number(text) < size ? Number(text) : null);

/**
 * Position of the next token that fits; null if none does.
 * @param {State} state @param {Axis} axis @param {(token: string) => boolean} fits
 * @param {{from: number, back: boolean}} way `from` is searched last @param {AbortSignal} signal
 */
export async function nextToken(state, axis, fits, { from, back }, signal) {
  const { reply } = /** @type {{reply: Reply}} */ (state.answer);
  const labels = labelsOf(reply, state.view.batch, axis);
  const size = labels.length;
  const apart = inParts(reply);
  const step = apart ? MOST : size;
  for (let done = 0; done < size; done += step) {
    const length = Math.min(step, size - done);
    const first = back ? from - done - length : from + done + 1;
    for (const [start, end] of spansAround(first, length, size, back)) {
      const tokens = apart
        ? (await tokensIn(state, axis, [start, end], signal)).tokens
        : labels.slice(start, end).map(({ text }) => text);
      const found = tokens?.[back ? "findLastIndex" : "findIndex"]((token) => token !== null && fits(token)) ?? -1;
      if (found >= 0) return start + found;
    }
  }
  return null;
}

/**
 * Splits a range that wraps around the end of the text.
 * @param {number} first @param {number} length @param {number} size @param {boolean} back
 */
function spansAround(first, length, size, back) {
  const start = ((first % size) + size) % size;
  const end = start + length;
  /** @type {Span[]} */
  const spans = [[start, Math.min(end, size)]];
  if (end > size) spans.push([0, end - size]);
  return back ? spans.reverse() : spans;
}
