/** Recognises captures by the names and shapes in file headers. */

import { Unreadable, contentsOf } from "../models/file-tensors.js";
import { captureOf } from "./captured-arrays.js";

const ARRAYS = /\.(safetensors|npz|npy|json)$/i;
const OF_A_MODEL = /^(config|tokenizer)\.json$/i;

/**
 * @param {File[]} files @param {Record<string, number>} limits
 * @returns {Promise<{title: string, files: File[], capture: import("./captured-arrays.js").Capture} | null>} null: not
 * a capture
 */
export async function chosenCapture(files, limits) {
  const own = files.filter(({ name }) => ARRAYS.test(name));
  if (own.length === 0 || own.length > limits.max_files || files.some(({ name }) => OF_A_MODEL.test(name))) return null;
  try {
    const { tensors } = await contentsOf(own, limits);
    const capture = captureOf(tensors);
    return capture && { title: own[0].name.replace(/\.[^.]+$/, ""), files: own, capture };
  } catch (error) {
    if (error instanceof Unreadable) return null; // the screen for models shows the error
    throw error;
  }
}
