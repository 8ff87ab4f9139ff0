import { weightsOf } from "../core/combined-heads.js";
import { scaleOf } from "../core/picture.js";
import { isDropped } from "../core/dropped-head.js";
import { h } from "../lib/dom.js";
import { paintOffscreen } from "../lib/offscreen-paint.js";
import { format } from "../lib/numbers.js";
import { headName } from "../matrix/names.js";
import { withFirstNote } from "../core/added-first-token.js";
import { nameTexts } from "../core/head-names.js";

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
