import { wholeOf } from "../core/answer.js";
import { chosenHeads, combinedPicture, rolloutTitle, titleOf } from "../core/combined-heads.js";
import { skipOf } from "../core/left-out-keys.js";
import { bodyOf } from "../core/question.js";
import { mergingOf } from "../core/word-lens.js";
import { inWords } from "../core/in-words.js";
import { fetchOfTrace } from "../core/traces.js";
import { isClosed, extent } from "../lib/paint.js";
import { decode } from "../lib/safetensors.js";
import { titleWithout } from "../matrix/left-out.js";

/** @typedef {import("../core/picture.js").Extent & Picture} Whole */
/** @typedef {Record<string, string | number>} Query */

const TABS = ["heads", "lines"];

/**
 * Query for the combined map; null without one, or for one head with every key.
 * @param {State} state @returns {Query | null}
 */
export function combinedQuery(state) {
  const { answer, view } = state;
  if (!answer || !TABS.includes(view.tab)) return null;
  const { batch, combine } = view;
  const { reply } = answer;
  const skip = skipOf(state);
  const without = /** @type {Query} */ (skip ? { skip } : {});
  if (view.tab === "heads" && view.rollout && reply.shape.num_layers > 1)
    return wholeOf(reply).context_lengths ? null : { ...rolloutOf(view), ...without };
  const places = chosenHeads(state);
  if (places.length < 2 && !skip) return null;
  return { combine, heads: places.map((place) => `${place.layer}.${place.head}`).join("_"), batch, ...without };
}

/** @param {State["view"]} view */
function rolloutOf({ layer, batch, combine, discard }) {
  const query = { combine: combine === "max" ? "rollout_max" : "rollout", layer, batch };
  return discard ? { ...query, discard } : query;
}

/** @param {Query} query */
const isRollout = ({ layer }) => layer !== undefined;

/** @param {Store} store @param {State} state */
export function combinedTitle(store, state) {
  const query = combinedQuery(state);
  const title = query && isRollout(query) ? rolloutTitle(store, state) : titleOf(store, state);
  return titleWithout(store, state, title);
}

/** @param {string} trace @param {Query} query */
export const combinedPath = (trace, query) =>
  `/api/v1/traces/${trace}/together?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`;

/** @param {State} state @param {Query} query @returns {Promise<Whole>} */
async function fetchCombined(state, query) {
  const { reply } = /** @type {NonNullable<State["answer"]>} */ (state.answer);
  const path = combinedPath(reply.trace, { ...query, ...mergingOf(inWords(state)), format: "safetensors" });
  const read = (/** @type {Response} */ response) => response.arrayBuffer();
  const bytes = await fetchOfTrace(path, bodyOf(state.question), new AbortController().signal, read);
  const { shape, values } = /** @type {Tensor} */ (decode(bytes).tensors.get("weights"));
  const [rows, cols] = shape;
  const seen = isRollout(query) ? null : combinedPicture(inWords(state));
  const holes = seen && values.map((_, at) => (isClosed(seen, Math.floor(at / cols), at % cols) ? -Infinity : 0));
  const { lengths } = inWords(state).answer?.reply ?? reply;
  const real = lengths[Number(query.batch)];
  const sizes = { rows, cols, realRows: seen?.realRows ?? real, realCols: seen?.realCols ?? real };
  const picture = { ...sizes, values, holes, left: seen?.left };
  return { ...picture, ...extent(picture) };
}

/**
 * @param {{store: Store, together: () => Query | null, trying: (work: () => Promise<void>) => Promise<void>}} desk
 * @param {() => void} come
 * @returns {() => {picture: Whole, title: string} | null} null if loading or none
 */
export function combinedLoader({ store, together, trying }, come) {
  /** @type {{key: string, picture: Whole, title: string} | null} */
  let known = null;
  let asked = "";
  const keyNow = () => JSON.stringify([store.get().answer?.reply.trace, together(), mergingOf(inWords(store.get()))]);
  return () => {
    const [state, query, key] = [store.get(), together(), keyNow()];
    if (!query) return null;
    if (known?.key === key) return known;
    if (asked === key) return null;
    asked = key;
    trying(async () => {
      try {
        const picture = await fetchCombined(state, query);
        if (key !== keyNow()) return;
        known = { key, picture, title: combinedTitle(store, state) };
        come();
      } finally {
        asked = "";
      }
    });
    return null;
  };
}

/** File name without prefix and ending, as the server gives it. @param {Query | null} query @param {State} state */
export function fileNameOf(query, state) {
  if (!query) return null;
  const words = "tokens" in mergingOf(inWords(state)) ? "-words" : "";
  const { combine, heads, skip } = query;
  const alone = /^(\d+)\.(\d+)$/.exec(String(heads));
  const name = alone ? `layer${alone[1]}-head${alone[2]}` : combine;
  return (skip === undefined ? `${name}` : `${name}-without-${skip}`.slice(0, 100)) + words;
}
