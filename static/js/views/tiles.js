/**
 * A tile a head: its weights, its metric, and whether it is chosen. Arrows move, Enter selects the
 * head everywhere, Space adds it to those seen together.
 */

import { look } from "../data/actions.js";
import { METRICS } from "../data/address.js";
import { passes, weightsOf } from "../data/combine.js";
import { stageOf } from "../data/page.js";
import { scaleOf } from "../data/pictures.js";
import { palette } from "../lib/color.js";
import { fill, h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { paint } from "../lib/paint.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {{layer: number, head: number}} Place */
/** @typedef {Place & {root: HTMLElement, canvas: HTMLCanvasElement, figure: HTMLElement, painted: string}} Tile */

const SIDE = { least: 38, most: 200, named: 64 }; // CSS pixels
const FOOT = 20; // caption and gap under a tile
const GAP = 4;

/**
 * The rows of tiles: layer by layer, or by the metric with the largest first.
 * @param {State} state
 * @param {number} width CSS pixels
 * @returns {Place[][]}
 */
function arranged(state, width) {
  const { num_layers, num_heads } = /** @type {import("../data/answer.js").Answer} */ (state.answer).reply.shape;
  const layers = Array.from({ length: num_layers }, (_, layer) =>
    Array.from({ length: num_heads }, (_, head) => ({ layer, head })),
  );
  const { sorted, metric } = state.view;
  const byMetric = sorted && state.metrics?.length;
  if (!byMetric && num_layers > 1) return layers;
  const places = byMetric
    ? state.metrics?.filter((place) => passes(state, place)).toSorted((a, b) => (b[metric] ?? 0) - (a[metric] ?? 0))
    : layers.flat();
  const room = Math.max(1, Math.floor(width / SIDE.named));
  const columns = Math.min(room, num_layers > 1 ? num_heads : Math.ceil(Math.sqrt(num_heads)));
  return Array.from({ length: Math.ceil((places ?? []).length / columns) }, (_, row) =>
    (places ?? []).slice(row * columns, (row + 1) * columns),
  );
}

/** @type {import("../data/state.js").ViewOf} */
export function tiles(root, store) {
  const { t } = store;
  const board = h("div", { class: "tiles", role: "grid", "aria-label": t("heads.label"), "aria-multiselectable": "true" });
  const stage = stageOf(store.page, "weights");
  /** @type {Map<string, Tile>} */
  const made = new Map();
  /** @type {Tile[][]} */
  let rows = [];
  let side = 0;
  let width = 0;
  root.append(board);
  board.addEventListener("click", onClick);
  board.addEventListener("keydown", onKey);
  board.addEventListener("pointermove", onMove);
  board.addEventListener("pointerleave", () => store.set({ hover: null }, { silent: true }));
  const resized = new ResizeObserver(() => {
    if (root.clientWidth && root.clientWidth !== width && rows.length) arrange(store.get());
  });
  resized.observe(root);

  /** @param {Place} place @returns {Tile} */
  function tileOf({ layer, head }) {
    const name = `${layer}.${head}`;
    const known = made.get(name);
    if (known) return known;
    const [canvas, figure] = [h("canvas", { role: "img" }), h("span")];
    const caption = h("span", { class: "caption", "aria-hidden": "true" }, h("b", {}, name), figure, h("i", { class: "tick" }));
    const tile = { layer, head, canvas, figure, painted: "", root: h("div", { role: "gridcell", class: "tile absent", "data-layer": layer, "data-head": head }, canvas, caption) };
    made.set(name, tile);
    return tile;
  }

  /** @param {State} state */
  function arrange(state) {
    width = root.clientWidth;
    rows = arranged(state, width).map((row) => row.map(tileOf));
    const byLayer = rows.length > 0 && rows.every((row, at) => row.every(({ layer }) => layer === at));
    const titled = byLayer && rows.length > 1;
    board.classList.toggle("titled", titled);
    const line = (/** @type {Tile[]} */ row, /** @type {number} */ at) =>
      h(
        "div",
        { role: "row" },
        titled && h("span", { role: "rowheader", "aria-label": t("heads.layer", { layer: at }) }, at),
        row.map((tile) => tile.root),
      );
    fill(board, rows.map(line));
    if (rows.length === 0) fill(board, h("p", { class: "muted" }, t("heads.nothing")));
    measure(state);
  }

  /** @param {State} state */
  function measure(state) {
    if (root.clientWidth === 0 || rows.length === 0) return;
    const columns = Math.max(...rows.map((row) => row.length));
    const top = root.getBoundingClientRect().top + window.scrollY;
    const room = Math.max(300, window.innerHeight - top - 28);
    const wide = (root.clientWidth - 22) / columns - GAP;
    const high = room / rows.length - FOOT;
    const least = board.classList.contains("titled") ? SIDE.least : Math.min(wide, SIDE.named - GAP);
    side = Math.floor(Math.max(least, Math.min(SIDE.most, wide, high)));
    board.style.setProperty("--side", `${side}px`);
    board.style.setProperty("--columns", String(columns));
    draw(state);
  }

  /** @param {State} state */
  function draw(state) {
    const { every, theme, view } = state;
    if (!every || side === 0) return;
    const colors = palette(store.page.colors[theme][stage.kind === "weights" ? "sequential" : "diverging"]);
    const pixels = Math.round(side * window.devicePixelRatio);
    const key = [every.answer.reply.trace, every.answer.heads, theme, view.range, view.batch, pixels].join();
    for (const tile of rows.flat()) {
      const picture = tile.painted === key ? null : weightsOf(state, tile);
      tile.root.classList.toggle("absent", !picture && tile.painted === "");
      if (!picture) continue;
      tile.painted = key;
      const most = Math.max(picture.rows, picture.cols);
      const cell = most <= pixels ? Math.floor(pixels / most) : pixels / most;
      const [wide, high] = [Math.max(1, Math.round(picture.cols * cell)), Math.max(1, Math.round(picture.rows * cell))];
      paint(tile.canvas, picture, colors, scaleOf(picture, stage, view.range), wide, high);
      tile.canvas.style.width = `${(100 * picture.cols) / most}%`;
      tile.canvas.style.height = `${(100 * picture.rows) / most}%`;
    }
  }

  /** @param {State} state */
  function mark(state) {
    const { view, metrics } = state;
    const found = new Map((metrics ?? []).map((each) => [`${each.layer}.${each.head}`, each]));
    const chosen = new Set(view.heads.map((place) => place.join(".")));
    for (const tile of rows.flat()) {
      const { layer, head, root: cell } = tile;
      const own = found.get(`${layer}.${head}`);
      const here = layer === view.layer && head === view.head;
      tile.figure.textContent = own ? (own[view.metric]?.toFixed(2) ?? "–") : "";
      const measured = METRICS.filter((name) => own && own[name] !== null);
      const told = measured.map((name) => `${t(`metric.${name}`)} ${format(own?.[name] ?? null, 2)}`);
      tile.canvas.setAttribute("aria-label", [t("heads.one", { layer, head }), ...told].join(", "));
      cell.setAttribute("aria-selected", String(chosen.has(`${layer}.${head}`)));
      if (here) cell.setAttribute("aria-current", "true");
      else cell.removeAttribute("aria-current");
      cell.tabIndex = here ? 0 : -1;
      cell.classList.toggle("out", !passes(state, tile));
    }
    const first = rows[0]?.[0];
    if (first && !board.querySelector('[tabindex="0"]')) first.root.tabIndex = 0;
  }

  /** @param {Event} event */
  function tileAt({ target }) {
    const cell = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest(".tile")) : null;
    return cell ? (made.get(`${cell.dataset.layer}.${cell.dataset.head}`) ?? null) : null;
  }

  /** @param {Place} place */
  function toggle({ layer, head }) {
    const { heads } = store.get().view;
    const rest = heads.filter(([l, h]) => l !== layer || h !== head);
    look(store, { heads: rest.length < heads.length ? rest : [...heads, [layer, head]] });
  }

  /** @param {MouseEvent} event */
  function onClick(event) {
    const tile = tileAt(event);
    if (!tile) return;
    const more = event.shiftKey || event.ctrlKey || event.metaKey;
    const ticked = event.target instanceof Element && event.target.matches(".tick");
    if (more || ticked) toggle(tile);
    else look(store, { layer: tile.layer, head: tile.head });
    tile.root.focus();
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const tile = tileAt(event);
    if (!tile || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows.findIndex((each) => each.includes(tile));
    const col = rows[row]?.indexOf(tile) ?? -1;
    const last = (rows[row]?.length ?? 1) - 1;
    const to = /** @type {Record<string, Tile | undefined>} */ ({
      ArrowLeft: rows[row]?.[col - 1],
      ArrowRight: rows[row]?.[col + 1],
      ArrowUp: rows[row - 1]?.[col],
      ArrowDown: rows[row + 1]?.[col] ?? rows[row + 1]?.at(-1),
      Home: rows[row]?.[0],
      End: rows[row]?.[last],
    });
    if (event.key === "Enter") look(store, { layer: tile.layer, head: tile.head });
    else if (event.key === " ") toggle(tile);
    else if (event.key in to) to[event.key]?.root.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {PointerEvent} event */
  function onMove(event) {
    const tile = tileAt(event);
    const picture = tile && event.target === tile.canvas ? weightsOf(store.get(), tile) : null;
    const { hover: now } = store.get();
    if (!tile || !picture) {
      if (now) store.set({ hover: null }, { silent: true });
      return;
    }
    const { clientWidth, clientHeight } = tile.canvas;
    const row = Math.min(picture.rows - 1, Math.max(0, Math.floor((event.offsetY / clientHeight) * picture.rows)));
    const col = Math.min(picture.cols - 1, Math.max(0, Math.floor((event.offsetX / clientWidth) * picture.cols)));
    const same = now?.of?.layer === tile.layer && now.of.head === tile.head && now.row === row && now.col === col;
    const of = { layer: tile.layer, head: tile.head };
    if (!same) store.set({ hover: { stage: "weights", row, col, of } }, { silent: true });
  }

  return {
    update(state, previous) {
      const shape = state.answer?.reply.shape;
      const before = previous.answer?.reply.shape;
      const { view, metrics } = state;
      const fresh = shape?.num_layers !== before?.num_layers || shape?.num_heads !== before?.num_heads;
      if (fresh) made.clear();
      const order =
        view.sorted !== previous.view.sorted ||
        (view.sorted &&
          (metrics !== previous.metrics || view.metric !== previous.view.metric || view.above !== previous.view.above));
      if (fresh || order) arrange(state);
      else if (state.every !== previous.every || state.theme !== previous.theme || view !== previous.view) draw(state);
      if (fresh || view !== previous.view || metrics !== previous.metrics) mark(state);
    },
    destroy() {
      resized.disconnect();
      root.replaceChildren();
    },
  };
}
