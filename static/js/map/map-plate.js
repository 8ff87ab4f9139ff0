import { setView } from "../core/actions.js";
import { h } from "../lib/dom.js";
import { colorsOf } from "../matrix/colors.js";
import { pixelsOf, scaleOf } from "./byte-codes.js";
import { hatchOf, inkOf } from "./map-ink.js";
import { formatBrief } from "./map-legend.js";
import { drawEdges, nameEdges, scaleProfile, profilesOf, rangeOf } from "./profiles.js";
import { MarkPainter, drawNumbers, typeOf } from "./paint-marks.js";
import { NamePainter, roomIn } from "./paint-names.js";
import { TilePainter } from "./paint-tiles.js";
import {
  interpolate,
  boundsOf,
  corner,
  clampPlace,
  placeOf,
  visibleCells,
  urlPlaceOf,
  wholePlace,
} from "./pan-zoom.js";
import { levelFor, sideOf } from "./pyramid.js";

const REST = 120; // ms without a move before slow updates
const GLIDE = 160; // ms of an animated move

export class MapPlate {
  /**
   * @param {HTMLElement} root @param {Store} store @param {import("./double-buffer.js").DoubleBuffer} sheets
   * @param {Record<"placed" | "drawn" | "rested", () => void>} tell
   */
  constructor(root, store, sheets, { placed, drawn, rested }) {
    const { t } = store;
    this.root = root;
    this.store = store;
    this.sheets = sheets;
    this.placed = placed;
    this.drawn = drawn;
    this.rested = rested;
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d", { alpha: false }));
    root.append(this.canvas);
    this.titles = /** @type {[string, string]} */ ([`${t("axis.query")} ↓`, `${t("axis.key")} →`]);
    this.frame = { width: 0, height: 0 };
    this.density = 1;
    this.ink = inkOf(root);
    this.hatch = hatchOf(this.context, this.ink);
    this.tiles = new TilePainter(this.context, sheets.tiles);
    this.names = new NamePainter(this.context);
    /** @type {Maps.Room} */
    this.room = { left: 0, top: 0, width: 1, height: 1 };
    /** @type {Maps.Place} */
    this.place = { row: 0, col: 0, scale: 1 };
    /** @type {Maps.Region | null} hovered cell, or the square drawn as one */
    this.hoveredRegion = null;
    /** @type {Pointed | null} */
    this.found = null;
    /** @type {Maps.Edges | null} */
    this.edges = null;
    /** @type {Maps.Colouring | null} */
    this.colouring = null;
    this.request = 0;
    this.resting = 0;
    /** @type {{from: Maps.Place, to: Maps.Place, since: number} | null} */
    this.glide = null;
    this.resized = new ResizeObserver(([{ contentRect }]) => this.resize(contentRect));
    this.resized.observe(root);
  }

  get sheet() {
    return this.sheets.shown;
  }

  /** @param {DOMRectReadOnly} rect */
  resize({ width, height }) {
    if (width === 0 || height === 0) return;
    this.frame = { width, height };
    this.density = window.devicePixelRatio;
    this.canvas.width = Math.round(width * this.density);
    this.canvas.height = Math.round(height * this.density);
    this.ink = inkOf(this.root); // the constructor runs outside the document, without styles
    this.hatch = hatchOf(this.context, this.ink);
    this.settleIn();
    this.drawNow(); // resizing empties the canvas
  }

  settleIn() {
    const { sheet } = this;
    if (!sheet || this.frame.width === 0) return;
    this.room = roomIn(this.frame, sheet, this.ink.family, this.titles);
    this.names.forget();
    this.place = placeOf(this.store.get().view.place, sheet.size, this.room);
    this.glide = null;
    this.edges = null;
  }

  applyTheme() {
    this.ink = inkOf(this.root);
    this.hatch = hatchOf(this.context, this.ink);
    this.colour();
    this.redraw();
  }

  colour() {
    const { sheet } = this;
    if (!sheet) return;
    const { theme, view } = this.store.get();
    const scale = scaleOf(sheet.stage.kind === "weights", view.ramp, sheet.extent);
    const colors = colorsOf(this.store.page, theme, sheet.stage.kind);
    this.colouring = { scale, colors, pixels: pixelsOf(sheet.values, scale, colors) };
    this.edges = null;
    this.redraw();
  }

  redraw() {
    this.request ||= requestAnimationFrame(() => this.drawNow());
  }

  /** @param {Maps.Place} place @param {boolean} [glides] */
  goTo(place, glides = false) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.glide = glides && !still ? { from: this.place, to: place, since: performance.now() } : null;
    if (!this.glide) this.place = place;
    this.moved();
  }

  get goal() {
    return this.glide?.to ?? this.place;
  }

  moved() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.rest(), REST);
    this.redraw();
  }

  /** Updates that are too slow for every frame. */
  rest() {
    const { sheet, store } = this;
    if (!sheet) return;
    if (this.glide) return this.moved();
    const spot = urlPlaceOf(this.place, sheet.size, this.room);
    if (JSON.stringify(spot) !== JSON.stringify(store.get().view.place))
      setView(store, { place: spot }, { replace: true });
    const span = this.visibleRegion(sheet);
    sheet.tokens.query.want(span.rows);
    sheet.tokens.key.want(span.cols);
    this.edges = null;
    this.rested();
    this.redraw();
  }

  /** @param {Maps.Sheet} sheet */
  visibleRegion(sheet) {
    return visibleCells(this.place, sheet.size, this.room);
  }

  get side() {
    const { sheet } = this;
    if (!sheet) return 1;
    const { levels } = sheet.extent;
    return sideOf(levels, levelFor(levels, this.place.scale * this.density));
  }

  drawNow() {
    cancelAnimationFrame(this.request);
    this.request = 0;
    this.step();
    this.showNext();
    const { sheet } = this;
    this.clear();
    if (!sheet || !this.colouring || this.frame.width === 0) return this.drawn();
    const span = this.visibleRegion(sheet);
    if (!this.sheets.next) this.sheets.want(sheet, span, this.place.scale * this.density);
    this.placed();
    this.paint(sheet, span, this.colouring);
    this.drawn();
  }

  step() {
    if (!this.glide) return;
    const { from, to, since } = this.glide;
    const part = Math.min(1, (performance.now() - since) / GLIDE);
    this.place = part === 1 ? to : interpolate(from, to, 1 - (1 - part) ** 3);
    if (part === 1) this.glide = null;
    this.moved();
  }

  showNext() {
    const { next, shown } = this.sheets;
    if (!next || this.frame.width === 0) return;
    const same = shown && shown.size.rows === next.size.rows && shown.size.cols === next.size.cols;
    const room = same ? this.room : roomIn(this.frame, next, this.ink.family, this.titles);
    const place = same ? this.place : placeOf(this.store.get().view.place, next.size, room);
    this.sheets.want(next, visibleCells(place, next.size, room), place.scale * this.density);
    if (!this.sheets.isReady) return void setTimeout(() => this.redraw(), REST);
    const { base } = this.sheets.show();
    if (!same || shown.tokens !== next.tokens) this.settleIn();
    Object.assign(this.canvas.dataset, next.selected, { map: base });
    this.edges = null;
    this.colour();
    this.moved();
  }

  /** An opaque canvas starts black. */
  clear() {
    const { canvas, context } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = this.ink.surface;
    context.fillRect(0, 0, canvas.width, canvas.height);
  }

  /** @param {Maps.Sheet} sheet @param {Maps.Region} span @param {Maps.Colouring} colouring */
  paint(sheet, span, colouring) {
    const { context, density, room, place, ink } = this;
    const from = corner(place, room);
    const layout = { from, scale: place.scale, size: sheet.size, room };
    context.save();
    this.clip(layout);
    context.fillStyle = ink.sunken;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    context.imageSmoothingEnabled = false;
    const lie = { x: from.x * density, y: from.y * density, scale: place.scale * density };
    const { z, tiles } = this.tiles.draw(sheet, span, lie, colouring.pixels, this.hatch);
    context.setTransform(density, 0, 0, density, 0, 0);
    const type = typeOf(place.scale, sheet.extent, this.store.get().view.precision, span);
    if (type) drawNumbers(context, sheet, span, layout, type, tiles, colouring, ink);
    context.restore();
    context.setTransform(density, 0, 0, density, 0, 0);
    // During a glide, old profiles are drawn at the new place.
    if (!this.edges || (this.edges.of !== tiles.length && !this.glide))
      this.edges = this.profiles(sheet, span, z, tiles, colouring.scale);
    const thick = this.frame.width - room.left - room.width;
    drawEdges(context, this.edges, layout, thick, ink);
    nameEdges(context, this.edges.titles, layout, thick, ink);
    this.marks(sheet, layout);
    const lit = { row: this.hoveredRegion?.rows ?? null, col: this.hoveredRegion?.cols ?? null };
    this.names.draw(sheet, place, room, span, ink, lit, this.titles);
  }

  get hasNumbers() {
    const { sheet } = this;
    const { precision } = this.store.get().view;
    return sheet !== null && typeOf(this.place.scale, sheet.extent, precision, this.visibleRegion(sheet)) !== null;
  }

  /** @param {Maps.Layout} layout */
  clip(layout) {
    const { context, density } = this;
    const { left, top, right, bottom } = boundsOf(layout);
    context.beginPath();
    const [x, y] = [Math.round(left * density), Math.round(top * density)];
    context.rect(x, y, Math.round(right * density) - x, Math.round(bottom * density) - y);
    context.clip();
  }

  /**
   * @param {Maps.Sheet} sheet @param {Maps.Region} span @param {number} z
   * @param {(Maps.Tile & Maps.CachedTile)[]} tiles @param {Maps.Scale} scale
   */
  profiles(sheet, { rows, cols }, z, tiles, scale) {
    const side = sideOf(sheet.extent.levels, z);
    const of = (/** @type {Span} */ [start, end]) =>
      /** @type {Span} */ ([Math.floor(start / side), Math.ceil(end / side)]);
    const profiles = profilesOf(tiles, { rows: of(rows), cols: of(cols) }, sheet.values, sheet.reduce);
    const [down, across] = [profiles.rows, profiles.cols].map((profile) => scaleProfile(profile, scale));
    const what = this.store.t(`map.${sheet.reduce}`);
    const ends = (/** @type {Maps.Profile} */ profile) => {
      const { low, high } = rangeOf(profile);
      return [`${formatBrief(low)} …`, formatBrief(high)];
    };
    return {
      of: tiles.length,
      side,
      rows: down,
      cols: across,
      titles: { rows: [what, ...ends(profiles.rows)], cols: [what, ends(profiles.cols).join(" ")] },
    };
  }

  /** @param {Maps.Sheet} sheet @param {Maps.Layout} layout */
  marks(sheet, layout) {
    const { context, room, ink } = this;
    const { cell } = this.store.get().view;
    const marks = new MarkPainter(context, ink);
    context.save();
    context.beginPath();
    context.rect(room.left - 3, room.top - 3, room.width + 6, room.height + 6);
    context.clip();
    if (this.found) marks.band(this.found, layout);
    if (this.hoveredRegion) marks.cross(this.hoveredRegion, layout);
    if (cell?.stage === sheet.selected.stage) marks.pin(cell, layout);
    context.restore();
  }

  showAll() {
    if (this.sheet) this.goTo(wholePlace(this.sheet.size, this.room), true);
  }

  /** @param {Maps.Place} place @param {boolean} [glides] */
  approach(place, glides = false) {
    if (this.sheet) this.goTo(clampPlace(place, this.sheet.size, this.room), glides);
  }

  destroy() {
    cancelAnimationFrame(this.request);
    clearTimeout(this.resting);
    this.resized.disconnect();
  }
}
