/** Tokens of an axis. Those of long texts are fetched in parts. */

import { labelsOf, wordsOf } from "../core/answer.js";
import { marked, partsOf } from "../core/pieces.js";
import { Problem } from "../core/api.js";
import { inParts } from "../core/token-windows.js";
import { subscript } from "../matrix/names.js";

const PART = 1000; // tokens
const MOST = 10_000; // tokens of a request
/** @type {Label} */
const NONE = { text: "", index: null };
const REACH = 40; // cached parts

/** @param {Label} label */
const subscriptOf = ({ index }) => (index === null ? "" : subscript(index));

export class AxisTokens {
  /**
   * @param {Reply} reply @param {Axis} axis @param {number} batch
   * @param {(span: Span) => Promise<(string | null)[]>} ask @param {() => void} came
   */
  constructor(reply, axis, batch, ask, came) {
    this.reply = reply;
    this.axis = axis;
    this.batch = batch;
    this.ask = ask;
    this.onArrival = came;
    const words = wordsOf(reply, axis);
    this.size = words.size;
    this.here = words.tokens !== null || !inParts(reply);
    /** @type {(string | null)[] | null} all tokens, after a search */
    this.allTokens = null;
    /** @type {Map<number, (string | null)[] | null>} null while loading */
    this.parts = new Map();
  }

  /** @param {number} at @returns {Label | null} null until loaded, or without text */
  labelOf(at) {
    if (this.here) return labelsOf(this.reply, this.batch, this.axis)[at] ?? NONE;
    const token = this.allTokens?.[at] ?? this.parts.get(Math.floor(at / PART))?.[at % PART];
    return token ? { text: token, index: at } : null;
  }

  /** @param {number} at */
  nameOf(at) {
    const label = this.labelOf(at);
    return label ? marked(label.char ?? label.text) + subscriptOf(label) : String(at);
  }

  /** @param {number} at */
  wordOf(at) {
    const label = this.labelOf(at);
    return label?.text ? partsOf(label.char ?? label.text).word + subscriptOf(label) : String(at);
  }

  /** @param {Span} span */
  want([start, end]) {
    if (this.here) return;
    const first = Math.floor(start / PART);
    const last = Math.floor((end - 1) / PART);
    if (last - first < REACH / 2) for (let part = first; part <= last; part++) this.load(part);
  }

  /** @param {number} part */
  async load(part) {
    if (this.parts.has(part)) return;
    this.parts.set(part, null);
    try {
      this.parts.set(part, await this.ask([part * PART, Math.min(this.size, (part + 1) * PART)]));
      if (this.parts.size > REACH) this.parts.delete(this.parts.keys().next().value ?? 0);
      this.onArrival();
    } catch (problem) {
      this.parts.delete(part); // the next `want` retries
      if (!(problem instanceof Problem)) throw problem;
    }
  }

  async fetchAll() {
    if (this.here) return labelsOf(this.reply, this.batch, this.axis).map(({ text }) => text);
    if (this.allTokens) return this.allTokens;
    const tokens = [];
    for (let start = 0; start < this.size; start += MOST)
      tokens.push(...(await this.ask([start, Math.min(this.size, start + MOST)])));
    this.allTokens = tokens;
    return tokens;
  }
}
