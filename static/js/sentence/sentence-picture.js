import { labelsOf } from "../core/answer.js";
import { isBare, hasSameNumbers, mayPrefetch } from "../core/state.js";
import { h } from "../lib/dom.js";
import { lazyLoad } from "../lib/load.js";
import { ArcLayer } from "./arc-layer.js";
import { MOST, TokenRow } from "./token-row.js";
import { selectedToken, currentWeights, weightsOf } from "./weight-row.js";

/** @import {Seen} from "./weight-row.js" */

const GAP = 4; // px between the first line and the edge
const LOOKED = /** @type {const} */ (["view", "pointed", "hover", "question", "exact", "named"]);

/** @type {ViewOf} */
export const sentencePicture = (root, store) => new SentencePicture(root, store);

class SentencePicture {
  /** @type {ReturnType<import("./later-parts.js").complete> | null} */
  rest = null;
  loading = false;
  /** @type {State | undefined} */
  drawn;
  arcs = new ArcLayer();
  line = h("p", { class: "seen-line", role: "status" });
  note = h("p", { class: "muted", hidden: true });
  under = h("div", { class: "under-sentence" });
  width = 0;
  room = 0;
  crosses = false;

  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    this.root = root;
    this.store = store;
    const again = () => this.place(store.get());
    this.queries = new TokenRow(store, "query", again);
    this.context = new TokenRow(store, "key", again);
    this.plot = h("div", { class: "sentence-plot" }, this.queries.root, this.context.root);
    this.plot.prepend(this.arcs.root);
    root.append(h("div", { class: "sentence-view" }, this.plot), this.line, this.note, this.under);
    this.resized = new ResizeObserver(() => this.resize());
    this.resized.observe(this.plot);
  }

  get keys() {
    return this.crosses ? this.context : this.queries;
  }

  get rows() {
    return this.crosses ? [this.queries, this.context] : [this.queries];
  }

  resize() {
    if (this.plot.clientWidth !== this.width && this.store.get().answer) this.place(this.store.get());
  }

  /** @type {Part["update"]} */
  update(state, previous) {
    if (!state.answer || isBare(state)) return;
    this.rest?.update(state, previous);
    if (mayPrefetch(state) && !this.loading) this.complete();
    const { drawn } = this;
    if (hasSameNumbers(state, drawn) && LOOKED.every((name) => state[name] === drawn?.[name])) return;
    if (this.rest) this.rest.follow(state);
    else this.look(state);
  }

  /** @param {State} state */
  look(state) {
    const previous = this.drawn;
    this.drawn = state;
    const fresh = !hasSameNumbers(state, previous);
    const seen = currentWeights(this.store.page, state);
    const other = state.named !== previous?.named || (fresh && hasOtherTokens(state, previous));
    if (this.write(state, seen, other)) this.place(state);
    else if (fresh || !seen?.waits) this.draw(state, seen, fresh);
  }

  async complete() {
    this.loading = true;
    const { complete, turn } = await lazyLoad(() => import("./later-parts.js"));
    await turn();
    this.rest = complete(this.under, [this.queries, this.context], this.store, this.line, this);
    const state = this.store.get();
    this.rest.update(state);
    this.rest.show(state, currentWeights(this.store.page, state));
  }

  /** @param {State} state @param {Seen | null} seen @param {boolean} other whether tokens changed */
  write(state, seen, other) {
    this.crosses = Boolean(state.answer?.reply.context_lengths);
    this.context.root.hidden = !this.crosses;
    this.plot.classList.toggle("crosses", this.crosses);
    const at = (/** @type {Axis} */ axis) => (this.isOf(seen?.axis, axis) ? seen?.at : seen?.best?.at) ?? 0;
    const written = this.rows.map((row) => row.show(state, at(row.axis), other));
    const { part, count } = this.queries;
    this.note.hidden = count <= MOST;
    if (part && count > MOST)
      this.note.textContent = this.store.t("sentence.part", { from: part.from, to: part.to - 1, n: count });
    return written.some(Boolean);
  }

  /** @param {string | undefined} axis @param {Axis} row */
  isOf(axis, row) {
    return axis !== undefined && (!this.crosses || axis === row);
  }

  /** @param {State} state */
  place(state) {
    this.width = this.plot.clientWidth;
    const frame = this.plot.getBoundingClientRect();
    for (const row of this.rows) row.measure(frame);
    const [first] = this.queries.boxes.values();
    this.room = first ? first.top - GAP : 0;
    this.draw(state, currentWeights(this.store.page, state), true);
  }

  /** @param {State} state @param {Seen | null} seen @param {boolean} fresh whether weights changed */
  draw(state, seen, fresh) {
    const { page } = this.store;
    const picture = weightsOf(page, state);
    if (fresh && picture) this.arcs.drawAll(picture, this.queries, this.keys, this.room);
    this.arcs.draw(seen, this.queries, this.keys, this.room);
    const { cell, picked, after } = state.view;
    const own = cell || picked || after !== null ? selectedToken(page, state) : null;
    for (const row of this.rows) {
      const at = (/** @type {Pointed | null} */ token) => (token && this.isOf(token.axis, row.axis) ? token.at : null);
      const meets = seen && (!this.crosses || row.axis !== seen.axis);
      row.mark(at(seen), at(own), meets ? seen.entries : []);
    }
    this.rest?.show(state, seen);
  }

  destroy() {
    this.resized.disconnect();
    this.root.replaceChildren();
  }
}

/** @param {State} state @param {State} [previous] */
function hasOtherTokens({ answer, view: { batch } }, previous) {
  const [now, before] = [answer, previous?.answer].map((each) => each?.reply);
  if (!now || !before || batch !== previous?.view.batch) return true;
  const said = (/** @type {Reply} */ reply) =>
    reply.offsets === null
      ? reply.trace // a long text has no offsets
      : JSON.stringify([
          reply.lengths[batch],
          reply.context_lengths?.[batch],
          labelsOf(reply, batch),
          labelsOf(reply, batch, "key"),
        ]);
  return said(now) !== said(before);
}
