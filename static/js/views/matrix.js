/** One tensor to be changed: up to 16 × 16 as a grid of inputs, larger as a picture of cells to pick. */

import { isParameter, xOf } from "../data/editing.js";
import { stageOf } from "../data/page.js";
import { parametersOf } from "../data/parameters.js";
import { extent } from "../lib/paint.js";
import { fill, h } from "../lib/dom.js";
import { Heatmap } from "./heatmap.js";
import { numbers } from "./numbers.js";
import { obstacle } from "./obstacle.js";

/** @typedef {import("../data/changing.js").Bench} Bench */
/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/state.js").Part} Part */

const MOST = 16; // rows and columns of a grid of inputs
const SIZE = { most: 14, gutter: 62 };

/** A tensor that no answer holds, as a picture. */
class TensorPicture extends Heatmap {
  /** @type {number[][]} */
  rows = [];

  /** @param {State} _ */
  take(_) {
    const [rows, cols] = [this.rows.length, this.rows[0]?.length ?? 0];
    const picture = { rows, cols, values: this.rows.flat() };
    return rows ? { ...picture, ...extent(picture) } : null;
  }
}

/**
 * @param {HTMLElement} root
 * @param {Bench} bench
 * @param {string} tensor
 * @returns {Part}
 */
export function matrix(root, bench, tensor) {
  const { store } = bench;
  const { t } = store;
  const about = h("p", { class: "muted" });
  const place = h("div");
  fill(root, about, place);
  /** @type {unknown} what the rows were made of */
  let made = null;
  let size = "";
  /** @type {(Part & {show?: (rows: number[][]) => void}) | null} */
  let part = null;

  /** @param {State} state @returns {Promise<number[][] | null>} */
  async function rowsNow(state) {
    const { question, view } = state;
    if (isParameter(tensor)) {
      const own = (await parametersOf(state, view.layer))[tensor];
      return own ? /** @type {number[][]} */ (Array.isArray(own[0]) ? own : [own]) : null;
    }
    const all = /** @type {any} */ (question.x ?? (state.answer && xOf(state.answer, 0)));
    return Array.isArray(all?.[0]?.[0]) ? (all[view.batch] ?? null) : all;
  }

  /** @param {State} state */
  async function refresh(state) {
    const rows = await rowsNow(state).catch(() => null);
    if (made !== sourceOf(store.get())) return; // another one is on its way
    const now = store.get();
    const why = obstacle(bench, tensor);
    const sizes = rows ? `${rows.length} × ${rows[0].length}` : "";
    const small = rows !== null && rows.length <= MOST && rows[0].length <= MOST;
    const kind = `${sizes} ${small} ${why !== null}`;
    if (kind !== size) {
      part?.destroy();
      size = kind;
      const picture = h("div", { class: small ? "numbers" : "tensor" });
      fill(place, rows && picture);
      part = rows ? (small ? numbers(picture, bench, tensor, rows, why !== null) : picked(picture, rows)) : null;
    }
    fill(about, why ?? t(!rows ? "change.none" : small ? "change.type" : "change.pick", { tensor, sizes }));
    if (rows) part?.show?.(rows);
    part?.update(now, /** @type {State} */ ({ view: {} }));
  }

  /** @param {HTMLElement} box @param {number[][]} rows */
  function picked(box, rows) {
    const picture = new TensorPicture(box, store, stageOf(store.page, tensor), SIZE);
    picture.rows = rows;
    return {
      /** @param {number[][]} next */
      show(next) {
        picture.rows = next;
        picture.painted = "";
      },
      update: (/** @type {State} */ state, /** @type {State} */ previous) => picture.update(state, previous),
      destroy: () => picture.destroy(),
    };
  }

  /** @param {State} state */
  const sourceOf = ({ question, answer, view: { batch, layer } }) => {
    const own = isParameter(tensor) ? question.model.source === "explicit" && question.model[tensor] : question.x;
    return JSON.stringify([batch, layer]) + (own ? idOf(own) : answer?.reply.trace);
  };

  return {
    update(state, previous) {
      const source = sourceOf(state);
      if (source !== made || state.answer !== previous.answer) {
        made = source;
        refresh(state);
      } else part?.update(state, previous);
    },
    destroy() {
      part?.destroy();
      fill(root);
    },
  };
}

/** @type {WeakMap<object, number>} */
const ids = new WeakMap();
let count = 0;

/** @param {object} value an id of its own, the same each time */
function idOf(value) {
  const known = ids.get(value) ?? ++count;
  ids.set(value, known);
  return ` ${known}`;
}
