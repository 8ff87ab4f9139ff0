import { Lru } from "../lib/newest.js";
import { wait } from "../lib/retry.js";
import { decode } from "../lib/safetensors.js";
import { shareRequests } from "../lib/shared-requests.js";
import { requestsByReader, fetchOfTrace } from "./traces.js";

/** @typedef {import("./answer.js").Selection} Selection */
/** @typedef {Pick<Reply, "trace" | "stages">} Traced */
/** @typedef {Selection & {stage: string, rows: Span, cols: Span}} Region `head`: for k and v, the key/value head */
/** @typedef {Region & {name: string, values: ArrayLike<number>}} Found `values`: −∞ for closed cells */

const KEPT = 96; // cached regions
const PAUSE = { cell: 60 }; // ms before a request, by reader
const SQUARE = 32; // cells a side

/** @param {Selection & {stage: string}} place */
const regionName = ({ stage, layer, head, batch }) => `${stage} ${layer} ${head} ${batch}`;

/** @param {Region} region @param {number} row @param {number} col */
const holds = ({ rows, cols }, row, col) => row >= rows[0] && row < rows[1] && col >= cols[0] && col < cols[1];

/** @param {RowCol} cell @param {Size} size */
export function squareAt({ row, col }, { rows, cols }) {
  /** @param {number} at @param {number} end @returns {Span} */
  const span = (at, end) => {
    const start = Math.floor(at / SQUARE) * SQUARE;
    return [start, Math.min(end, start + SQUARE)];
  };
  return { rows: span(row, rows), cols: span(col, cols) };
}

export class ExactNumbers {
  /**
   * @param {Traced} reply @param {Record<string, unknown>} question posted if the trace was evicted
   * @param {() => void} arrived @param [skip]
   */
  constructor(reply, question, arrived, skip = "") {
    this.reply = reply;
    this.question = question;
    this.arrived = arrived;
    this.skip = skip;
    /** @type {Lru<Found>} */
    this.found = new Lru(KEPT);
    this.share = /** @type {typeof shareRequests<Found>} */ (shareRequests)();
    this.requestOf = requestsByReader((/** @type {Found[]} */ found) => this.take(found));
  }

  /**
   * @param {Selection & {stage: string}} place
   * @returns {(row: number, col: number) => number | undefined} undefined until fetched
   */
  of(place) {
    const name = regionName(place);
    return (row, col) => {
      for (const region of this.found.values.values()) {
        if (region.name !== name || !holds(region, row, col)) continue;
        return region.values[(row - region.rows[0]) * (region.cols[1] - region.cols[0]) + col - region.cols[0]];
      }
      return undefined;
    };
  }

  /** @param {string} reader @param {Region[]} regions @returns whether all regions are known */
  want(reader, regions) {
    const missing = regions.filter((region) => !this.has(region));
    const request = this.requestOf(reader);
    if (missing.length === 0) {
      request.drop();
      return true;
    }
    request.want(JSON.stringify(missing), async (signal) => {
      const pause = PAUSE[/** @type {keyof PAUSE} */ (reader)];
      if (pause) await wait(pause);
      if (signal.aborted) return [];
      return Promise.all(
        missing.map((each) => this.share(JSON.stringify(each), (shared) => this.ask(each, shared), signal)),
      );
    });
    return false;
  }

  /** @param {Region} region */
  has(region) {
    const known = this.of(region);
    const { rows, cols } = region;
    return known(rows[0], cols[0]) !== undefined && known(rows[1] - 1, cols[1] - 1) !== undefined;
  }

  /** @param {Found[]} found */
  take(found) {
    for (const region of found) this.found.set(JSON.stringify([region.name, region.rows, region.cols]), region);
    this.arrived();
  }

  /** @param {Region} region @param {AbortSignal} signal */
  async ask(region, signal) {
    const values = this.read(region, region.stage, signal);
    const found = { ...region, name: regionName(region) };
    if (region.stage !== "weights") return { ...found, values: await values };
    // Masked scores distinguish closed cells from weights that round to 0.
    const masked = this.reply.stages?.includes("masked_scores") ?? true; // a capture may lack them
    const [weights, scores] = await Promise.all([values, masked ? this.read(region, "masked_scores", signal) : []]);
    const wide = region.cols[1] - region.cols[0];
    const left = new Set(this.skip.split("_").filter(Boolean).map(Number));
    const isClosed = (/** @type {number} */ at) => scores[at] === -Infinity || left.has(region.cols[0] + (at % wide));
    return { ...found, values: Float64Array.from(weights, (weight, at) => (isClosed(at) ? -Infinity : weight)) };
  }

  /** @param {Region} region @param {string} stage @param {AbortSignal} signal */
  async read({ layer, head, batch, rows, cols }, stage, signal) {
    const query = `layer=${layer}&head=${head}&batch=${batch}&rows=${rows.join(":")}&cols=${cols.join(":")}`;
    const without = stage === "weights" && this.skip ? `&skip=${this.skip}` : "";
    const path = `/api/v1/traces/${this.reply.trace}/stages/${stage}?${query}${without}&format=safetensors`;
    const bytes = await fetchOfTrace(path, this.question, signal, (response) => response.arrayBuffer());
    const [tensor] = decode(bytes).tensors.values();
    return tensor.values;
  }
}
