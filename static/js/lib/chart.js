import { s } from "./svg.js";

const [LEFT, RIGHT, ABOVE, BELOW] = [40, 18, 16, 32];
const NAME = 28; // px; least space of an x tick label

/** @param {ChartAxis} axis @param {number} value */
function fractionAt({ low, high, log }, value) {
  const [from, to, at] = log ? [low, high, value].map(Math.log2) : [low, high, value];
  return (at - from) / (to - from || 1);
}

/** @param {Chart} chart @param {number} width @param {number} height */
export function lineChart(chart, width, height) {
  const [wide, high] = [width - LEFT - RIGHT, height - ABOVE - BELOW];
  const x = (/** @type {number} */ value) => LEFT + wide * fractionAt(chart.x, value);
  const y = (/** @type {number} */ value) => ABOVE + high * (1 - fractionAt(chart.y, value));
  const bottom = ABOVE + high;
  const upright = (/** @type {number} */ at, /** @type {string} */ name) =>
    s("line", { class: name, x1: x(at), x2: x(at), y1: ABOVE, y2: bottom });
  const level = (/** @type {number} */ at, /** @type {string} */ name) =>
    s("line", { class: name, x1: LEFT, x2: LEFT + wide, y1: y(at), y2: y(at) });
  const { places, lines, marks, at } = chart;
  return s(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": chart.label },
    chart.y.ticks.flatMap((tick) => [
      level(tick, "rule"),
      s("text", { x: LEFT - 6, y: y(tick) + 3.5, "text-anchor": "end" }, chart.y.text(tick)),
    ]),
    chart.x.ticks
      .filter((_, index) => index % Math.ceil((chart.x.ticks.length * NAME) / wide) === 0)
      .map((tick) => s("text", { x: x(tick), y: bottom + 13, "text-anchor": "middle" }, chart.x.text(tick))),
    s("text", { class: "name", x: LEFT + wide / 2, y: height - 4, "text-anchor": "middle" }, chart.across),
    chart.level !== null && level(chart.level, "level"),
    marks.flatMap((mark, index) => {
      const side = anchor(fractionAt(chart.x, mark.at), marks.length - index);
      const place = { class: mark.name, x: x(mark.at), y: ABOVE - 5, "text-anchor": side };
      return [upright(mark.at, `mark ${mark.name}`), s("text", place, mark.text)];
    }),
    upright(places[at], "pointed"),
    lines.map(({ name, points }) =>
      s("path", {
        class: `line ${name}`,
        d: path(points.map((point, index) => (point === null ? null : [x(places[index]), y(point)]))),
      }),
    ),
    lines.flatMap(({ name, points }) => {
      const point = points[at];
      return point === null ? [] : [s("circle", { class: `dot ${name}`, cx: x(places[at]), cy: y(point), r: 3.5 })];
    }),
  );
}

/**
 * Text anchor that keeps a mark's label inside the chart and off the next mark.
 * @param {number} at 0 to 1 along the axis @param {number} left number of marks from this one on
 */
const anchor = (at, left) => (at > 0.8 || left > 1 ? "end" : "start");

/** @param {(number[] | null)[]} points */
function path(points) {
  return points
    .map((point, at) => point && `${points[at - 1] ? "L" : "M"}${point[0].toFixed(1)} ${point[1].toFixed(1)}`)
    .filter(Boolean)
    .join("");
}

/**
 * @param {Pick<Chart, "x" | "places">} chart @param {number} left px from the chart's left edge @param {number} width
 */
export function nearestIndex({ x, places }, left, width) {
  const here = (left - LEFT) / (width - LEFT - RIGHT);
  const far = places.map((place) => Math.abs(fractionAt(x, place) - here));
  return far.indexOf(Math.min(...far));
}
