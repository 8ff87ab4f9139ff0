/** Layers × heads: a grid of thumbnails of the weights that is the selector at the same time. */

import { look } from "../data/actions.js";
import { stageOf } from "../data/page.js";
import { pictureOf, scaleOf } from "../data/pictures.js";
import { palette } from "../lib/color.js";
import { fill, h } from "../lib/dom.js";
import { paint } from "../lib/paint.js";

/** @typedef {import("../data/state.js").State} State */

/** @type {import("../data/state.js").ViewOf} */
export function heads(root, store) {
  const { t } = store;
  const stage = stageOf(store.page, "weights");
  const grid = h("div", { class: "thumbnails", role: "group", "aria-label": t("heads.label") });
  const chosen = h("p", { class: "shape" });
  root.append(h("header", {}, h("h3", {}, t("heads.title"))), chosen, grid);

  /** @param {State} state */
  function build({ answer }) {
    const { num_layers, num_heads } = answer?.reply.shape ?? { num_layers: 1, num_heads: 1 };
    root.hidden = num_layers * num_heads < 2;
    const columns = num_layers > 1 ? num_heads : Math.ceil(Math.sqrt(num_heads));
    grid.style.setProperty("--columns", String(columns));
    grid.style.setProperty("--rows", String(Math.ceil((num_layers * num_heads) / columns)));
    root.classList.toggle("dense", columns > 4);
    const places = Array.from({ length: num_layers * num_heads }, (_, index) => ({
      layer: Math.floor(index / num_heads),
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
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (grid.querySelectorAll("button"))) {
      const canvas = /** @type {HTMLCanvasElement} */ (button.querySelector("canvas"));
      const place = {
        batch: state.view.batch,
        layer: Number(button.dataset.layer),
        head: Number(button.dataset.head),
      };
      const picture = source && pictureOf(store.page, source, stage, place);
      canvas.hidden = !picture;
      if (!picture) continue;
      const side = Math.max(1, Math.round(canvas.clientWidth * window.devicePixelRatio));
      const size = (/** @type {number} */ cells) => (cells <= side ? cells * Math.floor(side / cells) : side);
      const [wide, high] = [size(picture.cols), size(picture.rows)];
      paint(canvas, picture, colors, scaleOf(picture, stage, state.view.range), wide, high);
    }
  }

  return {
    update(state, previous) {
      if (!state.answer) return;
      const { num_layers, num_heads } = state.answer.reply.shape;
      const before = previous.answer?.reply.shape;
      if (num_layers !== before?.num_layers || num_heads !== before?.num_heads) build(state);
      const same =
        state.answer === previous.answer &&
        state.overview === previous.overview &&
        state.theme === previous.theme;
      if (!same || state.view.batch !== previous.view.batch || state.view.range !== previous.view.range)
        draw(state);
      if (state.view === previous.view && state.answer === previous.answer) return;
      chosen.textContent = t("heads.one", state.view);
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
