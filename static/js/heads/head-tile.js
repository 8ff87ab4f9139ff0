import { withFirstNote } from "../core/added-first-token.js";
import { weightsOf, passes } from "../core/combined-heads.js";
import { isDropped } from "../core/dropped-head.js";
import { nameTexts } from "../core/head-names.js";
import { scaleOf } from "../core/picture.js";
import { h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { paintOffscreen } from "../lib/offscreen-paint.js";
import { cellAfter } from "../lib/step-keys.js";
import { headName } from "../matrix/names.js";

/** @typedef {{key: string, pixels: number, colors: Palette, stage: Stage}} Look */

export class HeadTile {
  painted = "";

  /** @param {Place} place */
  constructor({ layer, head }) {
    this.layer = layer;
    this.head = head;
    this.canvas = h("canvas", { role: "img" });
    this.figure = h("span");
    this.named = h("span", { class: "named", "aria-hidden": "true" });
    const name = h("b", {}, headName(this));
    this.root = h(
      "div",
      { role: "gridcell", class: "tile absent", "data-layer": layer, "data-head": head },
      this.canvas,
      h("span", { class: "caption", "aria-hidden": "true" }, name, this.figure, h("i", { class: "tick" })),
      this.named,
    );
  }

  /** @param {State} state @param {Look} look */
  draw(state, { key, pixels, colors, stage }) {
    const picture = this.painted === key ? null : weightsOf(state, this);
    this.root.classList.toggle("absent", !picture && this.painted === "");
    if (!picture) return;
    this.painted = key;
    const most = Math.max(picture.rows, picture.cols);
    const cell = most <= pixels ? Math.floor(pixels / most) : pixels / most;
    const [wide, high] = [picture.cols, picture.rows].map((cells) => Math.max(1, Math.round(cells * cell)));
    paintOffscreen(this.canvas, picture, colors, scaleOf(picture, stage, state.view.range), wide, high);
    this.canvas.style.width = `${(100 * picture.cols) / most}%`;
    this.canvas.style.height = `${(100 * picture.rows) / most}%`;
  }

  /**
   * @param {Store} store @param {State} state
   * @param {{own: Metrics | undefined, chosen: boolean, out: boolean}} how
   */
  mark(store, state, { own, chosen, out }) {
    const { root, layer, head } = this;
    const { page, t } = store;
    const { question, view } = state;
    const gone = isDropped(question, this);
    const here = layer === view.layer && head === view.head;
    const measured = page.metrics.filter(({ name }) => own && own[name] !== null);
    const figures = measured.map(({ name }) => `${t(`metric.${name}`)} ${format(own?.[name] ?? null, 2)}`);
    const name = nameTexts(store, own);
    this.named.textContent = name.text;
    root.title = withFirstNote(t, state, layer, name.about);
    this.figure.textContent = own ? (own[view.metric]?.toFixed(2) ?? "–") : "";
    const said = [t("heads.one", { layer, head }), name.text, gone && t("heads.dropped"), ...figures];
    this.canvas.setAttribute("aria-label", said.filter(Boolean).join(", "));
    this.canvas.title = gone ? t("heads.dropped") : "";
    root.setAttribute("aria-selected", String(chosen));
    if (here) root.setAttribute("aria-current", "true");
    else root.removeAttribute("aria-current");
    root.tabIndex = here ? 0 : -1;
    root.classList.toggle("out", out);
    root.classList.toggle("gone", gone);
  }
}

const SIDE = { least: 38, most: 200, named: 80 };
const FOOT = 34; // px of caption, name and gap
const GAP = 4;
const LAYERS = 22; // px of the layer numbers
const LEAST_HEIGHT = 300; // px; least height of all rows

/** @param {Pick<State, "answer" | "metrics" | "view">} state @param {number} width */
export function arrangeHeads({ answer, metrics, view }, width) {
  const { num_layers, num_heads } = /** @type {Answer} */ (answer).reply.shape;
  const layers = Array.from({ length: num_layers }, (_, layer) =>
    Array.from({ length: num_heads }, (_, head) => ({ layer, head })),
  );
  const byMetric = view.sorted && metrics?.length;
  if (!byMetric && num_layers > 1) return layers;
  const places = byMetric ? rankHeads({ metrics, view }) : layers.flat();
  const room = Math.max(1, Math.floor(width / SIDE.named));
  const columns = Math.min(room, num_layers > 1 ? num_heads : Math.ceil(Math.sqrt(num_heads)));
  return Array.from({ length: Math.ceil(places.length / columns) }, (_, row) =>
    places.slice(row * columns, (row + 1) * columns),
  );
}

/** @param {Pick<State, "metrics" | "view">} state @returns {Place[]} */
function rankHeads(state) {
  const { metric } = state.view;
  const found = (state.metrics ?? []).filter((place) => passes(/** @type {State} */ (state), place));
  return found.toSorted((a, b) => (b[metric] ?? 0) - (a[metric] ?? 0));
}

/** @param {Place[][]} rows */
export const isByLayer = (rows) => rows.length > 1 && rows.every((row, at) => row.every(({ layer }) => layer === at));

/**
 * Side of a tile in px (the smallest readable if not all fit) and number of columns.
 * @param {Place[][]} rows @param {{width: number, height: number}} room
 */
export function sideOf(rows, { width, height }) {
  const columns = Math.max(...rows.map((row) => row.length));
  const wide = (width - LAYERS) / columns - GAP;
  const high = Math.max(LEAST_HEIGHT, height) / rows.length - FOOT;
  const least = isByLayer(rows) ? SIDE.least : Math.min(wide, SIDE.named - GAP);
  return { side: Math.floor(Math.max(least, Math.min(SIDE.most, wide, high))), columns };
}

/**
 * Tile to which a key leads. Arrows stop at the edges; null for other keys.
 * @template Each
 * @param {StepKey} event @param {Each[][]} rows @param {Each} from
 */
export function tileAfter(event, rows, from) {
  const row = rows.findIndex((each) => each.includes(from));
  const to = cellAfter(event, { row, col: rows[row].indexOf(from) }, { rows: rows.length, cols: rows[row].length });
  return to && (rows[to.row][to.col] ?? rows[to.row][rows[to.row].length - 1]);
}
