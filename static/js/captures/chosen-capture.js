import { Unreadable, contentsOf } from "../models/file-tensors.js";
import { captureOf } from "./captured-arrays.js";

const ARRAYS = /\.(safetensors|npz|npy|json)$/i;
const CONFIG = /^config\.json$/i; // models have one, captures have none
const TOKENIZER = /^tokenizer\.json$/i;

/**
 * `tokenizer`: turns ids into tokens.
 * @typedef {{title: string, files: File[], capture: import("./captured-arrays.js").Capture, tokenizer: File | null}} Chosen
 */

/**
 * @param {File[]} files @param {Record<string, number>} limits @returns {Promise<Chosen | null>} null: not a capture
 */
export async function chosenCapture(files, limits) {
  const tokenizer = files.find(({ name }) => TOKENIZER.test(name)) ?? null;
  const own = files.filter((file) => ARRAYS.test(file.name) && file !== tokenizer);
  if (own.length === 0 || own.length > limits.max_files || files.some(({ name }) => CONFIG.test(name))) return null;
  try {
    const { tensors } = await contentsOf(own, limits);
    const capture = captureOf(tensors);
    return capture && { title: own[0].name.replace(/\.[^.]+$/, ""), files: own, capture, tokenizer };
  } catch (error) {
    if (error instanceof Unreadable) return null; // the models screen shows the error
    throw error;
  }
}
