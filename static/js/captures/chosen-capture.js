/** Recognises captures among chosen files: arrays that POST /captures accepts. */

import { Unreadable, contentsOf } from "../models/file-tensors.js";

/** @typedef {import("../models/file-tensors.js").Tensor} Tensor */
/** @typedef {{layers: number, batch: number, heads: number, n: number, m: number}} Sizes `n` queries, `m` keys */
/** @typedef {{sizes: Sizes, spare: number}} Capture `spare`: tokens that may follow the `n` queries */

const MAPS = ["weights", "attentions", "scores", "scaled_scores", "masked_scores"];
const ROWS = ["q", "k", "v", "head_outputs"]; // [..., head, token, width]
const OTHERS = ["x", "output", "w_o", "scale"];
const KNOWN = [...MAPS, ...ROWS, ...OTHERS];
const STEP = /^(?:attentions|weights)\.(\d+)\.(\d+)$/; // arrays of generate(), by step and layer
const LEAST = 3; // fewest axes: head, query, key

/**
 * Null unless the tensors are a capture. With two axes, q and k may be weight matrices.
 * @param {Pick<Tensor, "name" | "shape" | "loose">[]} tensors
 */
export function captureOf(tensors) {
  const steps = tensors.filter(({ name, shape }) => STEP.test(name) && shape.length === 4);
  if (steps.length) return captureOfSteps(steps);
  const loose = tensors.length === 1 && tensors[0].loose; // a single .npy holds weights unless its name says otherwise
  const read = tensors.map(({ name, shape }) => ({ ...(loose ? placedAlone(name) : stageAndLayer(name)), shape }));
  const of = (/** @type {string[]} */ names) =>
    read.find(({ stage, shape }) => names.includes(stage) && shape.length >= LEAST);
  const map = of(MAPS) ?? of(["q"]);
  if (!map || (!of(MAPS) && !(of(["k"]) && read.every(({ stage }) => KNOWN.includes(stage))))) return null;
  const { shape, layer } = map;
  const [heads, n, last] = shape.slice(-3);
  const whole = layer === null;
  const leading = shape.slice(0, -3); // axes before heads
  const numbered = new Set(read.flatMap((one) => (one.layer === null ? [] : [one.layer]))).size;
  const layers = whole ? (leading[0] ?? 1) : numbered;
  const batch = (whole ? leading[1] : leading[0]) ?? 1;
  const m = MAPS.includes(map.stage) ? last : (of(["k"])?.shape.at(-2) ?? n);
  return { sizes: { layers, batch, heads, n, m }, spare: 0 };
}

/** @param {string} name */
function stageAndLayer(name) {
  const [, layer, stage] = name.match(/^layers\.(\d+)\.(\w+)$/) ?? [null, null, name];
  return { stage: String(stage), layer: layer === null ? null : Number(layer) };
}

/** @param {string} name */
function placedAlone(name) {
  const found = stageAndLayer(name);
  return KNOWN.includes(found.stage) ? found : { stage: "weights", layer: null };
}

/** @param {Pick<Tensor, "name" | "shape">[]} steps */
function captureOfSteps(steps) {
  const of = steps.map(({ name, shape }) => ({ layer: Number(name.match(STEP)?.[2]), shape }));
  const first = of.filter(({ layer }) => layer === of[0].layer);
  const n = first.reduce((sum, { shape }) => sum + shape[2], 0);
  const [batch, heads] = of[0].shape;
  return { sizes: { layers: new Set(of.map(({ layer }) => layer)).size, batch, heads, n, m: n }, spare: 1 };
}

const ARRAYS = /\.(safetensors|npz|npy|json)$/i;
const CONFIG = /^config\.json$/i; // models have one, captures have none
const TOKENIZER = /^tokenizer\.json$/i;

/** @typedef {{title: string, files: File[], capture: Capture, tokenizer: File | null}} Chosen */

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
