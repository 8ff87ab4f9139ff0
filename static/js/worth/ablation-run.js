/** Lets the server drop each head in turn. */

import { Problem } from "../core/api.js";
import { eventsOfTrace } from "../core/event-reply.js";
import { bodyOf } from "../core/question.js";
import { Lru } from "../lib/newest.js";

/** @typedef {{layer: number, head: number, log_probability: number, change: number}} Dropped */
/** @typedef {{done: number, of: number, position: number, token: string, log_probability: number, heads: Dropped[]}} Progress */
/**
 * `heads` in order of arrival; `about` null until the first event.
 * @typedef {{trace: string, status: "runs" | "done" | "stopped" | "failed", heads: Dropped[], all: number,
 * about: Omit<Progress, "heads"> | null, problem: Problem | null}} Found
 */

const KEPT = 8;
const FEW = 10; // heads to drop if the server refuses to drop all

export class AblationRun {
  /** @type {Found | null} */
  found = null;
  key = "";
  controller = new AbortController();
  /** @type {Lru<Found>} runs by path */
  finished = new Lru(KEPT);

  /** @param {(found: Found) => void} changed */
  constructor(changed) {
    this.changed = changed;
  }

  /** @param {State} state @param {Record<string, number>} query */
  start(state, query) {
    const { trace, shape } = /** @type {NonNullable<State["answer"]>} */ (state.answer).reply;
    const words = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
    const path = `/api/v1/traces/${trace}/ablations?${words}`;
    if (path === this.key && !this.found?.problem?.passing) return;
    this.reset();
    this.key = path;
    const known = this.finished.get(path);
    const all = shape.num_layers * shape.num_heads;
    this.found = known ?? { trace, status: "runs", heads: [], all, about: null, problem: null };
    if (!known) this.run(this.found, path, bodyOf(state.question));
  }

  /**
   * @param {Found} found @param {string} path @param {Record<string, unknown>} question
   * @param {number} [few] drops this many heads with the largest contributions @returns {Promise<void>}
   */
  async run(found, path, question, few) {
    const { signal } = this.controller;
    /** @param {Progress} progress */
    const hear = ({ heads, ...about }) => {
      if (signal.aborted) return;
      found.about = about;
      found.heads.push(...heads);
      this.changed(found);
    };
    try {
      const reply = await eventsOfTrace(few ? `${path}&strongest=${few}` : path, question, hear, signal);
      if (signal.aborted) return;
      this.take(found, reply);
      this.finished.set(path, found);
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      if (problem.code === "too_large" && !few) return this.run(found, path, question, FEW);
      Object.assign(found, { status: "failed", problem });
    }
    this.changed(found);
  }

  /** @param {Found} found @param {Replies.Ablations} reply */
  take(found, { heads, ...about }) {
    const known = new Set(found.heads.map(({ layer, head }) => `${layer}.${head}`));
    const rest = heads.flatMap((own, layer) => own.map((each, head) => ({ layer, head, ...each })));
    found.heads.push(...rest.filter((one) => one.change !== null && !known.has(`${one.layer}.${one.head}`)));
    found.about = { done: found.heads.length, of: found.heads.length, ...about };
    found.status = "done";
  }

  stop() {
    this.controller.abort();
    if (this.found?.status !== "runs") return;
    this.found.status = "stopped";
    this.changed(this.found);
  }

  reset() {
    this.controller.abort();
    this.controller = new AbortController();
    this.key = "";
    this.found = null;
  }
}
