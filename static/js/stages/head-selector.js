import { setView } from "../core/actions.js";
import { stageOf } from "../core/page.js";
import { pictureOf, scaleOf } from "../core/picture.js";
import { isDropped } from "../core/dropped-head.js";
import { h } from "../lib/dom.js";
import { paint } from "../lib/paint.js";
import { makeSlots } from "../lib/slots.js";
import { colorsOf } from "../matrix/colors.js";
import { headName } from "../matrix/names.js";
import { headsOffered, isDense } from "./head-places.js";

/** @typedef {Place & {root: HTMLElement, canvas: HTMLCanvasElement}} Thumbnail */

/** @type {ViewOf} */
export const heads = (root, store, slots = makeSlots()) => new HeadSelector(root, store, slots("selector"));

class HeadSelector {
  /** @type {import("./head-places.js").Offered | null} */
  offered = null;
  /** @type {Thumbnail[]} */
  thumbnails = [];

  /** @param {HTMLElement} root @param {Store} store @param {HTMLElement} slot of the header */
  constructor(root, store, slot) {
    this.root = root;
    this.store = store;
    this.stage = stageOf(store.page, "weights");
    this.grid = h("div", { class: "thumbnails", role: "group", "aria-label": store.t("heads.label") });
    this.chosen = h("p", { class: "shape", translate: "no" });
    root.append(h("header", {}, h("h3", {}, store.t("heads.title")), slot), this.chosen, this.grid);
  }

  /** @type {Part["update"]} */
  update(state, previous) {
    if (!state.answer) return;
    const { question, view } = state;
    const other = this.isOther(state, previous);
    if (other) this.build(state);
    if (other || this.looksOther(state, previous)) this.draw(state);
    const same = view === previous?.view && question === previous.question && state.answer === previous.answer;
    if (!same) this.mark(state);
  }

  /** @param {State} state @param {State} [previous] */
  isOther({ answer, view: { layer } }, previous) {
    const shape = answer?.reply.shape;
    const before = previous?.answer?.reply.shape;
    const { from, to } = this.offered ?? { from: 0, to: 0 };
    const left = layer < from || layer >= to;
    return left || shape?.num_layers !== before?.num_layers || shape?.num_heads !== before?.num_heads;
  }

  /** @param {State} state @param {State} [previous] */
  looksOther(state, previous) {
    const { view, answer, theme } = state;
    const old = previous?.view;
    const drawn = answer === previous?.answer && weightsOfAll(state) === (previous && weightsOfAll(previous));
    return !drawn || theme !== previous?.theme || view.batch !== old?.batch || view.range !== old?.range;
  }

  /** @param {State} state */
  build({ answer, view }) {
    const { shape } = /** @type {Answer} */ (answer).reply;
    this.offered = headsOffered(shape, view.layer);
    const { places, columns, rows } = this.offered;
    this.root.hidden = shape.num_layers * shape.num_heads < 2;
    this.root.classList.toggle("dense", isDense(this.offered));
    this.grid.style.setProperty("--columns", String(columns));
    this.grid.style.setProperty("--rows", String(rows));
    this.thumbnails = places.map((place) => thumbnail(this.store, place));
    this.grid.replaceChildren(...this.thumbnails.map(({ root }) => root));
  }

  /** @param {State} state */
  draw(state) {
    const { page } = this.store;
    const { theme, view } = state;
    const source = weightsOfAll(state);
    if (source)
      this.grid.dataset.trace = source === state.every?.answer ? state.answer?.reply.trace : source.reply.trace;
    const colors = colorsOf(page, theme, this.stage.kind);
    const pictures = this.thumbnails.map(({ canvas, layer, head }) => {
      const picture = source && pictureOf(page, source, this.stage, { batch: view.batch, layer, head });
      canvas.hidden = !picture;
      return picture;
    });
    // Reading the common width of canvases once needs one layout.
    const first = this.thumbnails[pictures.findIndex(Boolean)]?.canvas;
    const side = Math.max(1, Math.round((first?.clientWidth ?? 0) * window.devicePixelRatio));
    const size = (/** @type {number} */ cells) => (cells <= side ? cells * Math.floor(side / cells) : side);
    this.thumbnails.forEach(({ canvas }, at) => {
      const picture = pictures[at];
      if (!picture) return;
      const scale = scaleOf(picture, this.stage, view.range);
      paint(canvas, picture, colors, scale, size(picture.cols), size(picture.rows));
    });
  }

  /** @param {State} state */
  mark({ answer, question, view }) {
    const { t } = this.store;
    const { from, to } = /** @type {import("./head-places.js").Offered} */ (this.offered);
    const all = answer?.reply.shape.num_layers ?? 0;
    const some = to - from < all && t("heads.some", { from, to: to - 1, all });
    this.chosen.textContent = [headName(view), some].filter(Boolean).join(" · ");
    for (const { root, layer, head } of this.thumbnails) {
      const pressed = layer === view.layer && head === view.head;
      root.setAttribute("aria-pressed", String(pressed));
      root.classList.toggle("gone", isDropped(question, { layer, head }));
    }
  }

  destroy() {
    this.root.replaceChildren();
  }
}

/** @param {Store} store @param {Place} place @returns {Thumbnail} */
function thumbnail(store, { layer, head }) {
  const [short, name] = [headName({ layer, head }), store.t("heads.one", { layer, head })];
  const canvas = h("canvas");
  const root = h(
    "button",
    {
      class: "thumbnail",
      "data-layer": layer,
      "data-head": head,
      title: name,
      "aria-label": `${short}, ${name}`, // visible text first, for voice control
      onclick: () => setView(store, { layer, head }),
    },
    canvas,
    h("span", {}, short),
  );
  return { layer, head, root, canvas };
}

/** @param {State} state */
function weightsOfAll({ answer, overview, every }) {
  if (!answer?.heads) return answer;
  return every?.masked.answer.reply.trace === answer.reply.trace ? every.answer : overview;
}
