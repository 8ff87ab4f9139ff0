/** Layers × heads: a grid of thumbnails of the weights that is the selector at the same time. */

import { look } from "../data/actions.js";
import { stageOf } from "../data/page.js";
import { pictureOf, scaleOf } from "../data/pictures.js";
import { palette } from "../lib/color.js";
import { fill, h } from "../lib/dom.js";
import { paint } from "../lib/paint.js";

/** @typedef {import("../data/state.js").State} State */

const MOST = 3072; // thumbnails; of more heads, the layers around the selected one

/**
 * @param {{num_layers: number, num_heads: number}} shape
 * @param {number} layer
 */
function layersNear({ num_layers, num_heads }, layer) {
  const count = Math.max(1, Math.min(num_layers, Math.floor(MOST / num_heads)));
  const from = Math.max(0, Math.min(num_layers - count, layer - Math.floor(count / 2)));
  return { from, to: from + count };
}

/** @type {import("../data/state.js").ViewOf} */
export function heads(root, store) {
  const { t } = store;
  const stage = stageOf(store.page, "weights");
  const grid = h("div", { class: "thumbnails", role: "group", "aria-label": t("heads.label") });
  const chosen = h("p", { class: "shape" });
  root.append(h("header", {}, h("h3", {}, t("heads.title"))), chosen, grid);
  let shown = { from: 0, to: 0 };

  /** @param {State} state */
  function build({ answer, view }) {
    const { num_layers, num_heads } = answer?.reply.shape ?? { num_layers: 1, num_heads: 1 };
    shown = layersNear({ num_layers, num_heads }, view.layer);
    const count = (shown.to - shown.from) * num_heads;
    root.hidden = num_layers * num_heads < 2;
    const columns = num_layers > 1 ? num_heads : Math.ceil(Math.sqrt(num_heads));
    grid.style.setProperty("--columns", String(columns));
    grid.style.setProperty("--rows", String(Math.ceil(count / columns)));
    root.classList.toggle("dense", columns > 4);
    const places = Array.from({ length: count }, (_, index) => ({
      layer: shown.from + Math.floor(index / num_heads),
      head: index % num_heads,
    }));
    fill(
      grid,
      places.map(({ layer, head }) => {
        const name = t("heads.one", { layer, head });
        const choose = () => look(store, { layer, head });
        const text = num_layers > 1 ? `${layer}.${head}` : String(head);
        return h(
          "button",
          {
            class: "thumbnail",
            "data-layer": layer,
            "data-head": head,
            title: name,
            "aria-label": name,
            onclick: choose,
          },
          h("canvas"),
          h("span", {}, text),
        );
      }),
    );
  }

  /** @param {State} state */
  function draw(state) {
    const source = state.overview ?? (state.answer?.heads ? null : state.answer);
    const colors = palette(store.page.colors[state.theme].sequential);
    const canvases = /** @type {HTMLCanvasElement[]} */ ([...grid.querySelectorAll("canvas")]);
    const pictures = canvases.map((canvas) => {
      const { layer, head } = /** @type {HTMLElement} */ (canvas.parentElement).dataset;
      const place = { batch: state.view.batch, layer: Number(layer), head: Number(head) };
      const picture = source && pictureOf(store.page, source, stage, place);
      canvas.hidden = !picture;
      return picture;
    });
    // All are of one width: asked for once, the page is laid out once.
    const first = canvases[pictures.findIndex(Boolean)];
    const side = Math.max(1, Math.round((first?.clientWidth ?? 0) * window.devicePixelRatio));
    const size = (/** @type {number} */ cells) => (cells <= side ? cells * Math.floor(side / cells) : side);
    canvases.forEach((canvas, at) => {
      const picture = pictures[at];
      if (!picture) return;
      const scale = scaleOf(picture, stage, state.view.range);
      paint(canvas, picture, colors, scale, size(picture.cols), size(picture.rows));
    });
  }

  return {
    update(state, previous) {
      if (!state.answer) return;
      const { num_layers, num_heads } = state.answer.reply.shape;
      const before = previous.answer?.reply.shape;
      const { layer } = state.view;
      const resized = num_layers !== before?.num_layers || num_heads !== before?.num_heads;
      const left = layer < shown.from || layer >= shown.to;
      if (resized || left) build(state);
      const same =
        !left &&
        state.answer === previous.answer &&
        state.overview === previous.overview &&
        state.theme === previous.theme;
      if (!same || state.view.batch !== previous.view.batch || state.view.range !== previous.view.range)
        draw(state);
      if (state.view === previous.view && state.answer === previous.answer) return;
      const some = shown.to - shown.from < num_layers && t("heads.some", { from: shown.from, to: shown.to - 1, all: num_layers });
      chosen.textContent = [t("heads.one", state.view), some].filter(Boolean).join(" · ");
      for (const button of /** @type {NodeListOf<HTMLElement>} */ (grid.querySelectorAll("button"))) {
        const on =
          Number(button.dataset.layer) === state.view.layer &&
          Number(button.dataset.head) === state.view.head;
        button.setAttribute("aria-pressed", String(on));
      }
    },
    destroy: () => root.replaceChildren(),
  };
}
