/** Tiles of heads: arrows move the focus, Enter selects, Space combines. */

import { setView } from "../core/actions.js";
import { passes, weightsOf } from "../core/combined-heads.js";
import { stageOf } from "../core/page.js";
import { fill, h } from "../lib/dom.js";
import { isShortcut } from "../lib/step-keys.js";
import { colorsOf } from "../matrix/colors.js";
import { cellUnder } from "../matrix/pointer.js";
import { arrangeHeads, isByLayer, sideOf, tileAfter, HeadTile } from "./head-tile.js";

const FOOT = 28; // px left free under the tiles
const NAMED = 56; // px; narrower tiles have no name

/** @type {ViewOf} */
export const tiles = (root, store) => new HeadTiles(root, store);

class HeadTiles {
  /** @type {Map<string, HeadTile>} */
  tiles = new Map();
  /** @type {HeadTile[][]} */
  rows = [];
  side = 0; // px
  width = 0;

  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    this.root = root;
    this.store = store;
    this.stage = stageOf(store.page, "weights");
    const name = store.t("heads.label");
    this.board = h("div", { class: "tiles", role: "grid", "aria-label": name, "aria-multiselectable": "true" });
    root.append(this.board);
    this.board.addEventListener("click", (event) => this.onClick(event));
    this.board.addEventListener("keydown", (event) => this.onKey(event));
    this.board.addEventListener("pointermove", (event) => this.onMove(event));
    this.board.addEventListener("pointerleave", () => store.set({ hover: null }, { silent: true }));
    this.resized = new ResizeObserver(() => this.resize());
    this.resized.observe(root);
  }

  /** @type {Part["update"]} */
  update(state, previous) {
    const { view, metrics } = state;
    const fresh = isOther(state, previous);
    if (fresh) this.tiles.clear();
    if (fresh || isOrdered(state, previous)) this.arrange(state);
    else if (looksOther(state, previous)) this.draw(state);
    if (fresh || view !== previous?.view || metrics !== previous?.metrics) this.mark(state);
  }

  destroy() {
    this.resized.disconnect();
    this.root.replaceChildren();
  }

  resize() {
    const { clientWidth } = this.root;
    if (clientWidth && clientWidth !== this.width && this.rows.length) this.arrange(this.store.get());
  }

  /** @param {Place} place */
  tileOf(place) {
    const key = `${place.layer}.${place.head}`;
    const tile = this.tiles.get(key) ?? new HeadTile(place);
    this.tiles.set(key, tile);
    return tile;
  }

  /** @param {State} state */
  arrange(state) {
    this.width = this.root.clientWidth;
    this.rows = arrangeHeads(state, this.width).map((row) => row.map((place) => this.tileOf(place)));
    const titled = isByLayer(this.rows);
    this.board.classList.toggle("titled", titled);
    this.measure(state);
    const lines = this.rows.map((row, at) => this.line(row, titled ? at : null));
    fill(this.board, lines.length ? lines : h("p", { class: "muted" }, this.store.t("heads.nothing")));
  }

  /** @param {HeadTile[]} row @param {number | null} layer null for no heading */
  line(row, layer) {
    const title =
      layer !== null && h("span", { role: "rowheader", "aria-label": this.store.t("heads.layer", { layer }) }, layer);
    const tiles = row.map(({ root }) => root);
    return h("div", { role: "row" }, title, tiles);
  }

  /** @param {State} state */
  measure(state) {
    if (this.root.clientWidth === 0 || this.rows.length === 0) return;
    const top = this.root.getBoundingClientRect().top + window.scrollY;
    const room = { width: this.root.clientWidth, height: window.innerHeight - top - FOOT };
    const { side, columns } = sideOf(this.rows, room);
    this.side = side;
    this.board.style.setProperty("--side", `${side}px`);
    this.board.style.setProperty("--columns", String(columns));
    this.board.classList.toggle("unnamed", side <= NAMED);
    this.draw(state);
  }

  /** @param {State} state */
  draw(state) {
    const { every, theme, view } = state;
    if (!every || this.side === 0) return;
    this.board.dataset.trace = every.masked.answer.reply.trace;
    const { stage } = this;
    const pixels = Math.round(this.side * window.devicePixelRatio);
    const { reply, heads, tensors } = every.answer;
    const { trace, merged } = reply;
    const key = [trace, merged, heads, tensors?.size, theme, view.range, view.batch, view.skip, pixels].join(" ");
    const colors = colorsOf(this.store.page, theme, stage.kind);
    const [first] = this.rows.flat();
    this.board.toggleAttribute("data-pending", Boolean(first) && !weightsOf(state, first));
    for (const tile of this.rows.flat()) tile.draw(state, { key, pixels, colors, stage });
  }

  /** @param {State} state */
  mark(state) {
    const { view, metrics } = state;
    const found = new Map((metrics ?? []).map((each) => [`${each.layer}.${each.head}`, each]));
    const chosen = new Set(view.heads.map((place) => place.join(".")));
    for (const tile of this.rows.flat()) {
      const key = `${tile.layer}.${tile.head}`;
      tile.mark(this.store, state, { own: found.get(key), chosen: chosen.has(key), out: !passes(state, tile) });
    }
    const first = this.rows[0]?.[0];
    if (first && !this.board.querySelector('[tabindex="0"]')) first.root.tabIndex = 0;
  }

  /** @param {Event} event */
  tileAt({ target }) {
    const cell = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest(".tile")) : null;
    return cell ? (this.tiles.get(`${cell.dataset.layer}.${cell.dataset.head}`) ?? null) : null;
  }

  /** @param {MouseEvent} event */
  onClick(event) {
    const tile = this.tileAt(event);
    if (!tile) return;
    const more = event.shiftKey || event.ctrlKey || event.metaKey;
    const ticked = event.target instanceof Element && event.target.matches(".tick");
    if (more || ticked) toggle(this.store, tile);
    else setView(this.store, { layer: tile.layer, head: tile.head });
    tile.root.focus();
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const tile = this.tileAt(event);
    if (!tile || isShortcut(event)) return;
    const to = tileAfter(event, this.rows, tile);
    if (event.key === "Enter") setView(this.store, { layer: tile.layer, head: tile.head });
    else if (event.key === " ") toggle(this.store, tile);
    else if (to) to.root.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {PointerEvent} event */
  onMove(event) {
    const { store } = this;
    const { hover: now } = store.get();
    const tile = this.tileAt(event);
    const picture = tile && event.target === tile.canvas ? weightsOf(store.get(), tile) : null;
    const cell = tile && picture && cellUnder(event, tile.canvas, picture);
    if (!cell) {
      if (now) store.set({ hover: null }, { silent: true });
      return;
    }
    const of = { layer: tile.layer, head: tile.head };
    const same = now?.of?.layer === of.layer && now.of.head === of.head && now.row === cell.row && now.col === cell.col;
    if (!same) store.set({ hover: { stage: "weights", ...cell, of } }, { silent: true });
  }
}

/** @param {Store} store @param {Place} place */
function toggle(store, { layer, head }) {
  const { heads } = store.get().view;
  const rest = heads.filter(([l, h]) => l !== layer || h !== head);
  setView(store, { heads: rest.length < heads.length ? rest : [...heads, [layer, head]] });
}

/** @param {State} state @param {State} [previous] */
function isOther({ answer }, previous) {
  const [now, before] = [answer?.reply.shape, previous?.answer?.reply.shape];
  return now?.num_layers !== before?.num_layers || now?.num_heads !== before?.num_heads;
}

/** @param {State} state @param {State} [previous] */
function isOrdered({ view, metrics }, previous) {
  const old = previous?.view;
  if (view.sorted !== old?.sorted) return true;
  return view.sorted && (metrics !== previous?.metrics || view.metric !== old.metric || view.above !== old.above);
}

/** @param {State} state @param {State} [previous] */
const looksOther = ({ every, theme, view }, previous) =>
  every !== previous?.every || theme !== previous?.theme || view !== previous?.view;
