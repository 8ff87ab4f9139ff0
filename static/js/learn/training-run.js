import { post } from "../core/api.js";
import { eventReply } from "../core/event-reply.js";

/** @typedef {"w_q" | "w_k" | "w_v" | "w_o"} Matrix */
/** @typedef {{task: string, steps: number, rate: number, seed: number}} Asked */
/** @typedef {{step: number, steps: number, loss: number | null}} Progress */
/** @typedef {{step: number, model: Model, loss: number | null, solved: number, gradients: Record<Matrix, number | null>}} Snapshot */
/** @typedef {{text: string, rate: number, guessing: number, losses: (number | null)[], diverged_at: number | null, snapshots: Snapshot[]}} Training */

const PATH = "/api/v1/training";
const SNAPSHOTS = 25; // the first is not counted

/**
 * @param {Asked} asked @param {(progress: Progress) => void} hear
 * @param {AbortSignal} signal aborts on the server too @returns {Promise<Training>}
 */
export function train(asked, hear, signal) {
  return eventReply(PATH, { ...post({ ...asked, snapshots: SNAPSHOTS }, signal), signal }, hear);
}

/** @param {(number | null)[]} numbers */
export function logarithmicAxis(numbers) {
  const logs = numbers.filter((one) => one !== null && one > 0).map((one) => Math.log10(/** @type {number} */ (one)));
  const low = Math.floor(Math.min(0, ...logs));
  const high = Math.max(low + 1, Math.ceil(Math.max(...logs, 0)));
  const every = Math.ceil((high - low) / 5);
  const ticks = Array.from({ length: Math.floor((high - low) / every) + 1 }, (_, at) => 10 ** (low + at * every));
  return { low: 10 ** low, high: 10 ** high, log: true, ticks };
}

/** At most six steps, evenly spread. @param {number} last */
export function placesTo(last) {
  const every = Math.max(1, Math.ceil(last / 5));
  return Array.from({ length: Math.floor(last / every) + 1 }, (_, at) => at * every);
}

/** @param {Snapshot[]} snapshots @param {number} step */
export function nearestTo(snapshots, step) {
  const far = snapshots.map((one) => Math.abs(one.step - step));
  return far.indexOf(Math.min(...far));
}
