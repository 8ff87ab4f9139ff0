import { extent } from "../lib/paint.js";
import { replyAt, wordsOf } from "./answer.js";
import { sides, stageOf } from "./page.js";

/** @typedef {import("./answer.js").Selection} Selection */
/** @typedef {{size: number, most: number, keys?: number}} Extent `keys`: number of keys, if not `cols` */
/** @typedef {Extent & {cols: number}} Spread */
/** @typedef {Answer & {extent?: (stage: Stage, selection: Selection) => Extent}} Spanned */

const FEW = 64; // most keys with a linear scale from 0 to 1

/** @type {WeakMap<Answer, Map<string, (Picture & Extent) | null>>} */
const kept = new WeakMap();

/**
 * Null if the answer lacks the stage.
 * @param {Page} page @param {Answer} answer @param {Stage} stage @param {Selection} selection
 * @returns {(Picture & Extent) | null}
 */
export function pictureOf(page, answer, stage, selection) {
  const pictures = kept.get(answer) ?? new Map();
  kept.set(answer, pictures);
  const key = `${stage.name} ${selection.batch} ${selection.layer} ${selection.head}`;
  if (!pictures.has(key)) pictures.set(key, make(page, answer, stage, selection));
  return pictures.get(key) ?? null;
}

/** @param {Page} page @param {Answer} answer @param {Stage} stage @param {Selection} selection */
function make(page, answer, stage, selection) {
  const block = answer.block(stage, selection);
  if (!block) return null;
  const { rows, cols } = sides(stage);
  const reply = replyAt(answer.reply, selection.layer);
  const real = (/** @type {string} */ axis) =>
    axis === "query" || axis === "key" ? (wordsOf(reply, axis).lengths[selection.batch] ?? Infinity) : Infinity;
  const masked = stage.kind === "weights" ? answer.block(stageOf(page, "masked_scores"), selection) : null;
  const picture = {
    ...block,
    holes: masked?.values ?? null,
    realRows: real(rows),
    realCols: real(cols),
  };
  const shared =
    /** @type {Spanned} */ (answer).extent?.(stage, selection) ?? beforeMask(page, answer, stage, selection);
  return { ...picture, ...(shared ?? block.coarse?.extent ?? extent(picture)) };
}

/**
 * Range of the scores before the mask, so that equal scores have equal colours.
 * @param {Page} page @param {Answer} answer @param {Stage} stage @param {Selection} selection
 */
function beforeMask(page, answer, { name, kind }, selection) {
  if (name !== "masked_scores" || kind === "difference") return null;
  const scaled = pictureOf(page, answer, stageOf(page, "scaled_scores"), selection);
  return scaled && { size: scaled.size, most: scaled.most };
}

/** @param {Pick<Spread, "cols" | "keys">} picture */
export const hasManyKeys = ({ cols, keys = cols }) => keys > FEW;

/**
 * Signed stages are centred on 0. `auto` colours weights of many keys by square root, as most are small.
 * @param {Spread} picture @param {Stage} stage @param {"auto" | "fixed" | "row" | "data"} range @returns {Scale}
 */
export function scaleOf(picture, stage, range) {
  if (stage.kind === "weights") {
    const root = range === "auto" && hasManyKeys(picture);
    return { low: 0, high: range === "data" ? picture.most || 1 : 1, byRow: range === "row", root };
  }
  const size = picture.size || 1;
  return { low: -size, high: size };
}
