/** Draws four charts over one axis, or a table of their numbers. */

import { MEASURES } from "./scaling-measures.js";
import { dataTable } from "../lib/data-table.js";
import { fill, h } from "../lib/dom.js";
import { lineChart, nearestIndex } from "../lib/chart.js";
import { format, power, short } from "../lib/numbers.js";

/** @import {Measure, Figures} from "./scaling-measures.js" */

/**
 * `level`: figures of equal weights, drawn as horizontal lines, except the variance.
 * @typedef {{places: number[], text: (place: number) => string, ticks: number[],
 * lines: {name: string, label: string, figures: Figures[]}[],
 * spans: Record<Measure, import("./scaling-measures.js").Span>, level: Figures | null, marks: ChartMark[], at: number,
 * table: boolean, precision: number}} ChartData
 */

const CHART_HEIGHT = 152;
/** @type {Record<Measure, string>} */
const NAMES = {
  variance: "lab.variance",
  entropy: "lab.entropy",
  largest: "lab.largest",
  jacobian: "lab.jacobian",
};

export class Board {
  /**
   * @param {HTMLElement} root @param {Store} store
   * @param {string} across key of the axis label @param {(place: number) => void} choose
   * @param {() => void} moved called when the pointer reaches another place
   */
  constructor(root, store, across, choose, moved) {
    const { t } = store;
    this.t = t;
    this.across = t(across);
    this.moved = moved;
    /** @type {ChartData | null} */
    this.data = null;
    /** @type {number | null} */
    this.pointed = null;
    this.slider = h("input", { type: "range", min: 0, step: 1 });
    this.slider.addEventListener("input", () => choose(this.slider.valueAsNumber));
    this.output = h("output");
    this.charts = MEASURES.map((measure) => this.chart(measure));
    const figures = this.charts.map(({ figure }) => figure);
    this.plots = h("div", { class: "plots" }, figures);
    this.sheet = h("div", { class: "sheet", tabindex: "0" });
    const label = h("label", {}, h("span", {}, this.across), this.slider);
    root.append(h("div", { class: "field slide" }, label, this.output), this.plots, this.sheet);
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.plots);
  }

  /** @param {Measure} measure */
  chart(measure) {
    const [plot, values] = [h("div", { class: "plot-of" }), h("p", { class: "values" })];
    const name = this.t(NAMES[measure]);
    plot.addEventListener("pointermove", (event) => this.point(event, plot));
    plot.addEventListener("pointerleave", () => this.point(null, plot));
    return {
      measure,
      name,
      plot,
      values,
      figure: h("figure", { "data-measure": measure }, h("figcaption", {}, name), values, plot),
    };
  }

  /** @param {PointerEvent | null} event @param {HTMLElement} plot */
  point(event, plot) {
    if (!this.data) return;
    const { left, width } = plot.getBoundingClientRect();
    const axis = { x: this.axis(this.data), places: this.data.places };
    const at = event && nearestIndex(axis, event.clientX - left, width);
    if (at === this.pointed) return;
    this.pointed = at;
    this.moved();
  }

  /** @param {ChartData} data */
  axis({ places, ticks, text }) {
    return { low: places[0], high: places[places.length - 1], log: true, ticks, text };
  }

  /** Index of the place under the pointer, else of the chosen place. */
  get at() {
    return this.pointed ?? this.data?.at ?? 0;
  }

  /** @param {ChartData} data */
  show(data) {
    this.data = data;
    this.slider.max = String(data.places.length - 1);
    this.slider.value = String(data.at);
    this.plots.hidden = data.table;
    this.sheet.hidden = !data.table;
    if (data.table) fill(this.sheet, this.table(data));
    this.draw();
  }

  draw() {
    const { data, at } = this;
    if (!data) return;
    const here = data.text(data.places[at]);
    this.output.textContent = here;
    this.slider.setAttribute("aria-valuetext", data.text(data.places[data.at]));
    for (const { measure, name, plot, values } of this.charts) {
      const read = data.lines.map((line) => ({ ...line, value: format(line.figures[at][measure], data.precision) }));
      const words = read.map((line) => h("span", { class: line.name }, `${line.label} `, h("b", {}, line.value)));
      fill(values, words);
      if (data.table || !plot.clientWidth) continue;
      const chart = {
        label: `${name}, ${this.across} ${here}: ${read.map(({ label, value }) => `${label} ${value}`).join(", ")}`,
        across: this.across,
        places: data.places,
        x: this.axis(data),
        y: {
          ...data.spans[measure],
          text: (/** @type {number} */ value) => (data.spans[measure].log ? power(value) : short(value, 3)),
        },
        lines: data.lines.map((line) => ({
          name: line.name,
          points: line.figures.map((each) => drawable(each[measure], data.spans[measure])),
        })),
        marks: data.marks,
        level: measure === "variance" ? null : (data.level?.[measure] ?? null),
        at,
      };
      plot.replaceChildren(lineChart(chart, plot.clientWidth, CHART_HEIGHT));
    }
  }

  /** @param {ChartData} data */
  table({ places, text, lines, precision }) {
    const names = MEASURES.map((measure) => ({ name: this.t(NAMES[measure]), span: lines.length }));
    const labels = MEASURES.flatMap(() => lines.map(({ label }) => label));
    const rows = places.map((place, at) => ({
      name: text(place),
      cells: MEASURES.flatMap((measure) => lines.map(({ figures }) => format(figures[at][measure], precision))),
    }));
    const columns = [[this.across, ...names], ...(lines.length > 1 ? [[null, ...labels]] : [])];
    return dataTable({ columns, bodies: [rows] });
  }

  destroy() {
    this.resized.disconnect();
  }
}

/**
 * Null below a logarithmic axis, which has no 0.
 * @param {number | null} value @param {import("./scaling-measures.js").Span} span
 */
const drawable = (value, { log, low }) => (value === null || (log && value < low) ? null : value);
