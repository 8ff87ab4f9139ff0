import { isParameter, xOf } from "./edits.js";
import { stageOf } from "../core/page.js";
import { parametersOf } from "../core/layer-parameters.js";
import { extent } from "../lib/paint.js";
import { fill, h } from "../lib/dom.js";
import { Heatmap } from "../matrix/heatmap.js";
import { numbers } from "./number-grid.js";
import { obstacle } from "./apply-edit.js";

/** @typedef {import("./apply-edit.js").Bench} Bench */

const MOST = 16; // rows and columns of inputs
const SIZE = { most: 14, gutter: 62 };

export class TensorEditor {
  /** @param {HTMLElement} root @param {Bench} bench @param {string} tensor */
  constructor(root, bench, tensor) {
    this.root = root;
    this.bench = bench;
    this.tensor = tensor;
    this.about = h("p", { class: "muted" });
    this.place = h("div");
    fill(root, this.about, this.place);
    /** @type {unknown} rows are read again when it changes */
    this.source = null;
    this.kind = "";
    this.part = null;
  }

  /** @param {State} state @param {State} [previous] */
  update(state, previous) {
    const source = sourceOf(this.tensor, state);
    if (source !== this.source || state.answer !== previous?.answer) {
      this.source = source;
      this.refresh(state);
    } else this.part?.update(state, previous);
  }

  /** @param {State} state */
  async refresh(state) {
    const { bench, tensor } = this;
    const rows = await rowsIn(tensor, state).catch(() => null);
    const now = bench.store.get();
    if (this.source !== sourceOf(tensor, now)) return; // a newer request is pending
    const why = obstacle(bench, tensor);
    const small = rows !== null && rows.length <= MOST && rows[0].length <= MOST;
    const sizes = rows ? `${rows.length} × ${rows[0].length}` : "";
    this.keep(rows, small, why !== null);
    const hint = bench.store.t(!rows ? "change.none" : small ? "change.type" : "change.pick", { tensor, sizes });
    fill(this.about, why ?? hint);
    if (rows) this.part?.show(rows);
    this.part?.update(now);
  }

  /** @param {number[][] | null} rows @param {boolean} small @param {boolean} disabled */
  keep(rows, small, disabled) {
    const kind = rows ? `${rows.length} × ${rows[0].length} ${small} ${disabled}` : "";
    if (kind === this.kind && this.part) return;
    this.part?.destroy();
    this.kind = kind;
    const box = h("div", { class: small ? "numbers" : "tensor" });
    fill(this.place, rows && box);
    this.part = rows && (small ? numbers(box, this.bench, this.tensor, rows, disabled) : this.picture(box));
  }

  /** @param {HTMLElement} box */
  picture(box) {
    const { store } = this.bench;
    return new TensorPicture(box, store, stageOf(store.page, this.tensor), SIZE);
  }

  destroy() {
    this.part?.destroy();
    fill(this.root);
  }
}

class TensorPicture extends Heatmap {
  /** @type {number[][]} */
  rows = [];

  /** @param {number[][]} next */
  show(next) {
    this.rows = next;
    this.painted = "";
  }

  /** @param {State} _ */
  take(_) {
    const [rows, cols] = [this.rows.length, this.rows[0]?.length ?? 0];
    const picture = { rows, cols, values: this.rows.flat() };
    return rows ? { ...picture, ...extent(picture) } : null;
  }
}

/** @param {string} tensor @param {State} state @returns {Promise<number[][] | null>} */
async function rowsIn(tensor, state) {
  const { question, view } = state;
  if (isParameter(tensor)) {
    const own = (await parametersOf(state, view.layer))[tensor];
    return own ? /** @type {number[][]} */ (Array.isArray(own[0]) ? own : [own]) : null;
  }
  const all = /** @type {any} */ (question.x ?? (state.answer && !state.answer.numbers && xOf(state.answer, 0)));
  return Array.isArray(all?.[0]?.[0]) ? (all[view.batch] ?? null) : all;
}

/** @param {string} tensor @param {State} state */
function sourceOf(tensor, { question, answer, view: { batch, layer } }) {
  const own = isParameter(tensor) ? question.model.source === "explicit" && question.model[tensor] : question.x;
  return JSON.stringify([batch, layer, Boolean(answer?.numbers)]) + (own ? idOf(own) : answer?.reply.trace);
}

/** @type {WeakMap<object, number>} */
const ids = new WeakMap();
let count = 0;

/** @param {object} value */
function idOf(value) {
  const known = ids.get(value) ?? ++count;
  ids.set(value, known);
  return ` ${known}`;
}
