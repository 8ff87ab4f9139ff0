import { Problem } from "../core/api.js";
import { Lru } from "../lib/newest.js";
import { CLOSED } from "./byte-codes.js";

const KEPT = 192; // cached tiles: 64 KB of codes and 256 KB of pixels each
const AT_ONCE = 4; // most requests: a browser allows six, and a hover needs one

export class TileStore {
  /** @param {() => void} came @param {(problem: Problem | null) => void} ails null: a tile arrived after a failure */
  constructor(came, ails) {
    this.onArrival = came;
    this.reportProblem = ails;
    /** @type {Lru<Maps.CachedTile>} */
    this.cache = new Lru(KEPT);
    /** @type {Map<string, AbortController>} */
    this.controllers = new Map();
    /** @type {Maps.TileRequest[]} most important first */
    this.wanted = [];
    /** @type {Set<string>} not requested until `retry` */
    this.refused = new Set();
    this.paused = false; // requests wait for `retry`
    this.failed = false; // a request failed, and no tile has arrived since
  }

  /** @param {string} name */
  get(name) {
    return this.cache.get(name);
  }

  /** Requests these tiles and cancels all other requests. @param {Maps.TileRequest[]} wanted */
  want(wanted) {
    this.wanted = wanted.filter(({ name }) => !this.refused.has(name));
    const names = new Set(wanted.map(({ name }) => name));
    for (const [name, controller] of this.controllers) if (!names.has(name)) controller.abort();
    this.requestNext();
  }

  get isPending() {
    return this.wanted.some(({ name }) => !this.cache.values.has(name));
  }

  requestNext() {
    if (this.paused) return;
    for (const each of this.wanted) {
      if (this.controllers.size >= AT_ONCE) return;
      if (!this.cache.values.has(each.name) && !this.controllers.has(each.name)) this.ask(each);
    }
  }

  /** @param {Maps.TileRequest} wanted */
  async ask({ name, ask }) {
    const controller = new AbortController();
    this.controllers.set(name, controller);
    try {
      const coded = await ask(controller.signal);
      if (!controller.signal.aborted) this.keep(name, coded);
    } catch (problem) {
      if (!controller.signal.aborted) this.fail(name, problem);
    } finally {
      this.controllers.delete(name);
      this.requestNext();
    }
  }

  /** @param {string} name @param {Maps.CodedMap} coded */
  keep(name, coded) {
    this.cache.set(name, { ...coded, open: !coded.codes.includes(CLOSED), bitmap: null, painted: null });
    if (this.failed) this.reportProblem(null);
    this.failed = false;
    this.onArrival();
  }

  /** @param {string} name @param {unknown} problem */
  fail(name, problem) {
    if (!(problem instanceof Problem)) throw problem;
    this.failed = true;
    this.reportProblem(problem);
    if (problem.passing) this.paused = true;
    else this.refused.add(name);
    this.wanted = this.wanted.filter((each) => !this.refused.has(each.name));
  }

  retry() {
    this.paused = false;
    this.refused.clear();
    this.requestNext();
  }

  destroy() {
    this.want([]);
  }
}
