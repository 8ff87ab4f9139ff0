import { extent } from "../lib/paint.js";
import { mergePictures } from "../lib/quantized.js";
import { replyAt, wordsOf } from "./answer.js";
import { leftOutKeys, skipOf, withoutKeys } from "./left-out-keys.js";

/** @typedef {{layer: number, head: number}} Place */

const WEIGHTS = { name: "weights", axes: ["batch", "head", "query", "key"] };
const MASKED = { ...WEIGHTS, name: "masked_scores" };

/** @type {WeakMap<Every, Map<string, SizedPicture | null>>} */
const kept = new WeakMap();

/** @param {State} state */
export function chosenHeads({ every, view: { layer, head }, view }) {
  return every ? headsInView(every.answer.reply, view) : [{ layer, head }];
}

/** @param {Reply} reply @param {State["view"]} view */
export function headsInView(reply, view) {
  const { layer, head } = view;
  const { num_layers, num_heads } = reply.shape;
  const here = (/** @type {Place} */ place) => place.layer < num_layers && place.head < num_heads;
  // Only heads with the same queries and keys can be combined.
  const alike = (/** @type {Place} */ place) => replyAt(reply, place.layer) === replyAt(reply, layer);
  const chosen = view.heads.map(([at, head]) => ({ layer: at, head })).filter((place) => here(place) && alike(place));
  return chosen.length ? chosen : [{ layer, head }];
}

/** Weights of a head; null until fetched. @param {State} state @param {Place} place @returns {SizedPicture | null} */
export function weightsOf(state, { layer, head }) {
  return cachedPicture(state, `${layer}.${head}`, () => {
    const every = /** @type {Every} */ (state.every);
    const { numbers, skip = "" } = /** @type {import("./stage-images.js").Skipping} */ (every.answer);
    if (numbers && skip !== skipOf(state)) return null; // these pictures leave out other keys
    const { batch } = state.view;
    const block = every.answer.block(/** @type {any} */ (WEIGHTS), { batch, layer, head });
    return block && withoutKeys(framed(state, every, block, { layer, head }), leftOutKeys(state));
  });
}

/**
 * @param {State} state @param {Every} every @param {Block} block
 * @param {Place} place
 */
function framed({ view }, { answer: all, masked }, block, place) {
  const { batch } = view;
  const of = /** @type {any} */ (MASKED);
  // Heads with the same queries and keys have the same mask.
  const reply = replyAt(masked.answer.reply, place.layer);
  const alike = reply === replyAt(masked.answer.reply, masked.layer);
  const holes = all.block(of, { batch, ...place }) ?? (alike ? masked.answer.block(of, { batch, ...masked }) : null);
  const real = (/** @type {string} */ axis) => wordsOf(reply, axis).lengths[batch] ?? Infinity;
  const picture = {
    ...block,
    holes: holes?.values ?? null,
    realRows: real("query"),
    realCols: real("key"),
  };
  const shared = /** @type {import("./picture.js").Spanned} */ (all).extent?.(/** @type {any} */ (WEIGHTS), view);
  return { ...picture, ...(shared ?? picture.coarse?.extent ?? extent(picture)) };
}

/** False if the head's metric is below the threshold. @param {State} state @param {Place} place */
export function passes({ metrics, view }, { layer, head }) {
  const found = metrics?.find((each) => each.layer === layer && each.head === head);
  return view.above === null || !found || (found[view.metric] ?? 0) >= view.above;
}

/** @param {State} state @returns {SizedPicture | null} */
export function combinedPicture(state) {
  const places = chosenHeads(state);
  if (places.length === 1) return weightsOf(state, places[0]);
  const name = `${state.view.combine} ${places.map(({ layer, head }) => `${layer}.${head}`)}`;
  return cachedPicture(state, name, () => {
    const pictures = places.map((place) => weightsOf(state, place)).filter((each) => each !== null);
    if (!pictures.length) return null;
    const sum = state.view.combine === "mean";
    const parts = pictures.flatMap(({ coarse }) => coarse ?? []);
    if (parts.length) {
      const coarse = mergePictures(parts, sum);
      return coarse && { ...pictures[0], coarse, ...coarse.extent };
    }
    const values = new Float64Array(pictures[0].values.length);
    for (const { values: each } of pictures) {
      for (let at = 0; at < values.length; at++) {
        if (sum) values[at] += each[at] / pictures.length;
        else if (each[at] > values[at]) values[at] = each[at];
      }
    }
    const picture = { ...pictures[0], values };
    return { ...picture, ...extent(picture) };
  });
}

/** @param {State} state @param {string} name @param {() => SizedPicture | null} make */
function cachedPicture(state, name, make) {
  const { answer, every, view } = state;
  // `every` still belongs to the previous answer
  if (!every || every.masked.answer.reply.trace !== answer?.reply.trace) return null;
  const pictures = kept.get(every) ?? new Map();
  kept.set(every, pictures);
  const key = `${view.batch} ${skipOf(state)} ${name}`;
  if (!pictures.has(key)) pictures.set(key, make());
  return pictures.get(key) ?? null;
}

/** "Mean of 3 heads", or the name of a head. @param {Store} store @param {State} state */
export function titleOf({ t }, state) {
  const { view } = state;
  const places = view.tab === "stages" ? [view] : chosenHeads(state);
  return places.length > 1 ? t(`heads.${view.combine}_of`, { n: places.length }) : t("heads.one", { ...places[0] });
}

/** @param {Store} store @param {State} state */
export function rolloutTitle({ t }, { view: { layer, combine, discard } }) {
  const title = t(combine === "max" ? "heads.rollout_max_of" : "heads.rollout_of", { layer });
  return discard ? t("heads.rollout_without", { title, share: percent(discard) }) : title;
}

/** @param {number} share */
export const percent = (share) => `${Number((100 * share).toFixed(4))} %`;
