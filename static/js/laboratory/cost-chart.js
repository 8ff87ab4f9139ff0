import { fill, h } from "../lib/dom.js";
import { lineChart } from "../lib/chart.js";
import { format, power } from "../lib/numbers.js";
import { logarithmicAxis } from "./cost-measures.js";

/** @typedef {import("./cost-measures.js").Length} Length */

const CHART_HEIGHT = 200;
const TICKS = [1, 16, 256, 4096, 65536];

/** @param {number} value */
export const formatCount = (value) => (value < 1e6 ? value.toLocaleString("en") : format(value, 2));

export class CostChart {
  /** @type {{lengths: Length[], at: number} | null} */
  data = null;

  /** @param {HTMLElement} root @param {Store} store @param {Exclude<keyof Length, "n">[]} lines */
  constructor(root, store, lines) {
    this.store = store;
    this.lines = lines;
    this.values = h("p", { class: "values" });
    this.plot = h("div", { class: "plot-of" });
    root.append(this.values, this.plot);
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.plot);
  }

  /** @param {Length[]} lengths @param {number} at */
  show(lengths, at) {
    this.data = { lengths, at };
    this.draw();
  }

  draw() {
    if (!this.data) return;
    const { lengths, at } = this.data;
    const { t } = this.store;
    const read = this.lines.map((name) => ({ name, label: t(`costs.${name}`), value: formatCount(lengths[at][name]) }));
    const words = read.map(({ name, label, value }) => h("span", { class: name }, `${label} `, h("b", {}, value)));
    fill(this.values, words);
    if (!this.plot.clientWidth) return;
    const every = lengths.flatMap((length) => this.lines.map((name) => length[name]));
    const here = `${t("costs.n")} ${formatCount(lengths[at].n)}`;
    const chart = {
      label: `${t("costs.multiplications")}, ${here}: ${read.map(({ label, value }) => `${label} ${value}`).join(", ")}`,
      across: t("costs.n"),
      places: lengths.map(({ n }) => n),
      x: { low: 1, high: lengths[lengths.length - 1].n, log: true, ticks: TICKS, text: formatCount },
      y: { ...logarithmicAxis(every), text: power },
      lines: this.lines.map((name) => ({ name, points: lengths.map((length) => length[name]) })),
      marks: [],
      level: null,
      at,
    };
    this.plot.replaceChildren(lineChart(chart, this.plot.clientWidth, CHART_HEIGHT));
  }

  destroy() {
    this.resized.disconnect();
  }
}
