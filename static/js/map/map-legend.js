import { gradient } from "../lib/paint.js";
import { h } from "../lib/dom.js";
import { format, short } from "../lib/numbers.js";
import { leftOutWords } from "../matrix/left-out.js";
import { LAST, numberAt } from "./byte-codes.js";

const DECIMALS = 3;
const WAYS = { even: "even", root: "root", log: "log", signed_log: "log" };

/** @param {number} value */
export const formatBrief = (value) =>
  value !== 0 && Math.abs(value) < 0.001 ? format(value, 0) : short(value, DECIMALS);

export class MapLegend {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    this.ends = [0, 0.5, 1].map(() => h("span"));
    this.ramp = h("span", { class: "ramp" });
    this.closed = h("span");
    this.masked = h("span", { class: "masked" }, h("i", { class: "hatch" }), this.closed);
    const [low, middle, high] = this.ends;
    this.about = h("p", { class: "muted" });
    const scale = h("div", { class: "ends", translate: "no" }, low, middle, high);
    const legend = h("div", { class: "legend" }, this.ramp, this.masked);
    this.root = h("div", { class: "map-legend" }, legend, scale, this.about);
    /** @type {Maps.Colouring | null} */
    this.drawn = null;
  }

  /** @param {Maps.Sheet} sheet @param {Maps.Colouring} colouring */
  show(sheet, colouring) {
    if (this.drawn === colouring) return;
    this.drawn = colouring;
    const { t } = this.store;
    [0, 0.5, 1].forEach((part, at) => {
      this.ends[at].textContent = formatBrief(numberAt(part, colouring.scale));
    });
    this.ramp.style.backgroundImage = gradient(colouring.colors);
    this.masked.hidden = sheet.stage.name !== "weights" && sheet.stage.name !== "masked_scores";
    const { min, max } = sheet.extent;
    const range = { low: formatBrief(min), high: formatBrief(max) };
    const step = (sheet.values[LAST] - sheet.values[LAST - 1]) / 2; // largest rounding error
    const part = step / (max - min || 1); // relative rounding error of a logarithmic scale
    const coarse =
      sheet.spacing === "log"
        ? t("map.rounded_log", { percent: short(100 * part, 1), least: formatBrief(part * sheet.values[1]) })
        : t("map.rounded", { step: formatBrief(step) });
    const how = t(`map.ramp.${WAYS[colouring.scale.by]}`);
    this.closed.textContent = t(sheet.left.length ? "legend.left_out" : "legend.masked");
    const past = leftOutWords(this.store, this.store.get(), "heads.skip_out", sheet.left);
    const sentences = [past, t("map.range", range), t("map.coloured", { how }), coarse, t(`map.edges.${sheet.reduce}`)];
    this.about.textContent = sentences.filter(Boolean).join(t("text.between"));
  }
}
