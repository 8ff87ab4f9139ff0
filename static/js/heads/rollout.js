import { extent } from "../lib/paint.js";
import { decode } from "../lib/safetensors.js";
import { wholeOf } from "../core/answer.js";
import { skipOf } from "../core/left-out-keys.js";
import { fetchOfTrace } from "../core/traces.js";
import { bodyOf } from "../core/question.js";
import { mergingOf } from "../core/word-lens.js";

/** @typedef {Picture & {size: number, most: number}} Whole */

/** @param {State} state */
export const showsRollout = ({ answer, view }) => view.rollout && (answer?.reply.shape.num_layers ?? 1) > 1;

/** Whether keys come from another text, which excludes rollout. @param {State} state */
export const isCrossAttention = ({ answer }) => Boolean(answer && wholeOf(answer.reply).context_lengths);

/** @param {State} state */
export function keyOf(state) {
  const { attempt, answer, view } = state;
  const { layer, batch, combine, discard } = view;
  const { trace, merged } = answer?.reply ?? {};
  return JSON.stringify([attempt, trace, merged, layer, batch, combine, discard, skipOf(state)]);
}

/** @param {State} state @returns {Promise<Whole>} */
export async function fetchRollout(state) {
  const { answer, question, view } = state;
  const { layer, batch, combine, discard } = view;
  const skip = skipOf(state);
  const { trace, lengths } = /** @type {NonNullable<State["answer"]>} */ (answer).reply;
  const asked = new URLSearchParams({ layer: String(layer), batch: String(batch), format: "safetensors" });
  if (combine === "max") asked.set("combine", combine);
  if (discard) asked.set("discard", String(discard));
  if (skip) asked.set("skip", skip);
  for (const [name, value] of Object.entries(mergingOf(state))) asked.set(name, value);
  const path = `/api/v1/traces/${trace}/rollout?${asked}`;
  const read = (/** @type {Response} */ response) => response.arrayBuffer();
  const bytes = await fetchOfTrace(path, bodyOf(question), new AbortController().signal, read);
  const { shape, values } = /** @type {Tensor} */ (decode(bytes).tensors.get(`layers.${layer}.rollout`));
  const picture = { rows: shape[0], cols: shape[1], values, realRows: lengths[batch], realCols: lengths[batch] };
  return { ...picture, ...extent(picture) };
}
