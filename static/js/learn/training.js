import { setQuestion } from "../core/question-changes.js";
import { Problem } from "../core/api.js";
import { lineChart } from "../lib/chart.js";
import { fill, h } from "../lib/dom.js";
import { format, power, short } from "../lib/numbers.js";
import { percent } from "../lib/percent.js";
import { logarithmicAxis } from "../lib/axis-ticks.js";
import { trainingFields, nearestTo, placesTo, train } from "./training-run.js";

/** @typedef {import("./training-run.js").Training} Training */

const CHART_HEIGHT = 152;
const PAUSE = 300; // ms from a changed field to training
const PACE = 160; // ms between snapshots
const still = window.matchMedia("(prefers-reduced-motion: reduce)");
/** @type {import("./training-run.js").Matrix[]} */
const MATRICES = ["w_q", "w_k", "w_v", "w_o"];

/** @type {ViewOf} */
export const training = (root, store) => new TrainingView(root, store);

class TrainingView {
  /** @type {Training | null} */
  found = null;
  at = 0;
  timer = 0;
  playing = 0; // timer of the next snapshot
  controller = new AbortController();

  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    const { t } = store;
    const { task, rate, seed, step } = store.get().question.model;
    this.root = root;
    this.store = store;
    this.asked = { task, rate, seed, steps: step };
    this.button = h("button", { class: "button", type: "button", onclick: () => this.press() });
    this.bar = h("progress", { max: 1, value: 0, "aria-label": t("live.training.progress") });
    this.status = h("p", { class: "muted", role: "status" });
    this.slider = h("input", { type: "range", min: 0, step: 1, oninput: () => this.slide() });
    this.after = h("output");
    this.effect = h("p", { class: "effect" });
    this.loss = chartOf(t("live.training.loss"));
    this.sizes = chartOf(t("live.training.gradients"));
    const fields = trainingFields(store, this.asked, (patch) => this.set(patch));
    const after = h("label", {}, h("span", {}, t("live.training.after")), this.slider);
    root.classList.add("lab", "training");
    root.append(
      h("div", { class: "knobs" }, fields),
      h("div", { class: "run" }, this.button, this.bar, this.status),
      h("div", { class: "field slide" }, after, this.after),
      this.effect,
      h("div", { class: "plots" }, this.loss.figure, this.sizes.figure),
    );
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.loss.plot);
    this.start();
  }

  /** @param {Partial<import("./training-run.js").Asked>} patch */
  set(patch) {
    Object.assign(this.asked, patch);
    this.stop();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.start(), PAUSE);
  }

  slide() {
    this.stop();
    this.turnTo(this.slider.valueAsNumber);
  }

  press() {
    const wrong = /** @type {HTMLElement | null} */ (this.root.querySelector("[aria-invalid]"));
    if (this.root.dataset.training === "going") this.controller.abort();
    else if (wrong) wrong.focus();
    else this.start(true);
  }

  async start(plays = false) {
    const { t } = this.store;
    this.stop();
    this.controller.abort();
    const { signal } = (this.controller = new AbortController());
    const before = this.found !== null;
    this.root.toggleAttribute("data-before", before); // marks an old result until a new one is drawn
    this.turn("going", before ? t("live.training.before") : "");
    try {
      const found = await train({ ...this.asked }, (news) => this.showProgress(news), signal);
      if (!signal.aborted) this.take(found, plays && !still.matches);
    } catch (error) {
      if (this.controller.signal !== signal) return;
      if (!signal.aborted && !(error instanceof Problem)) throw error;
      const cancelled = t(before ? "live.training.cancelled" : "live.training.none");
      this.turn("idle", signal.aborted ? cancelled : messageOf(error) || t("problem.offline"));
    }
  }

  /** @param {"going" | "idle"} now @param {string} status */
  turn(now, status) {
    this.root.dataset.training = now;
    this.button.textContent = this.store.t(now === "going" ? "live.training.cancel" : "live.training.again");
    this.bar.hidden = now === "idle";
    this.bar.value = 0;
    this.status.textContent = status;
  }

  /** @param {import("./training-run.js").Progress} news */
  showProgress({ step, steps }) {
    this.bar.value = step / steps;
  }

  /** @param {Training} found @param {boolean} plays */
  take(found, plays) {
    const { t } = this.store;
    const { diverged_at, snapshots, rate } = found;
    this.found = found;
    this.root.removeAttribute("data-before");
    this.turn("idle", diverged_at === null ? "" : t("live.training.diverged", { step: diverged_at, rate }));
    this.slider.max = String(snapshots.length - 1);
    const last = nearestTo(snapshots, this.asked.steps);
    if (plays) this.play(0, last);
    else this.turnTo(last);
  }

  /** @param {number} at @param {number} last */
  play(at, last) {
    this.playing = at < last ? window.setTimeout(() => this.play(at + 1, last), PACE) : 0;
    this.turnTo(at);
  }

  stop() {
    clearTimeout(this.playing);
    this.playing = 0;
  }

  /** @param {number} at */
  turnTo(at) {
    const { found, store } = this;
    if (!found) return;
    this.at = at;
    this.slider.value = String(at);
    const { step, loss, solved, model } = found.snapshots[at];
    this.after.textContent = String(step);
    this.slider.setAttribute("aria-valuetext", String(step));
    this.effect.textContent = store.t("live.training.reading", {
      step,
      loss: loss === null ? "∞" : format(loss, 3),
      solved: percent(solved),
    });
    const { question } = store.get();
    const full = { ...question.model, length: null, ...model };
    setQuestion(store, { ...question, text: found.text, model: full }, { replace: true });
    this.draw();
  }

  draw() {
    const { found, at, store } = this;
    if (!found || !this.loss.plot.clientWidth) return;
    const { t } = store;
    const { losses, snapshots, diverged_at, guessing } = found;
    const { step, gradients } = snapshots[at];
    const across = t("live.training.step");
    const marks = diverged_at === null ? [] : [{ at: diverged_at, name: "without", text: t("live.training.here") }];
    const shown = { across, marks, level: null };
    fill(this.loss.values, h("span", {}, t("live.training.level", { guessing: format(guessing, 2) })));
    paint(this.loss, {
      ...shown,
      level: guessing,
      places: losses.map((_, place) => place),
      at: Math.min(step, losses.length - 1),
      lines: [{ name: "own", points: losses.map((loss, place) => (this.playing && place > step ? null : loss)) }],
    });
    const sizes = MATRICES.map((name) => h("span", { class: name }, `${name} `, h("b", {}, sizeText(gradients[name]))));
    fill(this.sizes.values, sizes);
    paint(this.sizes, {
      ...shown,
      places: snapshots.map((one) => one.step),
      at,
      lines: MATRICES.map((name) => ({ name, points: snapshots.map((one) => one.gradients[name]) })),
    });
  }

  update() {}

  destroy() {
    this.controller.abort();
    clearTimeout(this.timer);
    this.stop();
    this.resized.disconnect();
    this.root.replaceChildren();
  }
}

/** @param {string} name */
function chartOf(name) {
  const [plot, values] = [h("div", { class: "plot-of" }), h("p", { class: "values" })];
  return { name, plot, values, figure: h("figure", {}, h("figcaption", {}, name), values, plot) };
}

/**
 * @param {ReturnType<typeof chartOf>} chart
 * @param {Pick<Chart, "across" | "places" | "at" | "lines" | "marks" | "level">} shown
 */
function paint({ name, plot }, shown) {
  const { places, lines, at } = shown;
  const last = places[places.length - 1];
  const numbers = lines.flatMap(({ points }) => points);
  const here = lines.map((line) => `${line.name === "own" ? "" : `${line.name} `}${sizeText(line.points[at])}`);
  const chart = {
    ...shown,
    label: `${name}, ${shown.across} ${places[at]}: ${here.join(", ")}`,
    x: { low: 0, high: last, log: false, ticks: placesTo(last), text: String },
    y: { ...logarithmicAxis([...numbers, shown.level], [0]), text: power },
    lines: lines.map((line) => ({ ...line, points: line.points.map((one) => (one !== null && one > 0 ? one : null)) })),
  };
  fill(plot, lineChart(chart, plot.clientWidth, CHART_HEIGHT));
}

/** @param {number | null} size */
const sizeText = (size) => (size === null ? "∞" : size < 0.001 ? format(size, 2) : short(size, 3));

/** @param {unknown} error */
const messageOf = (error) => (error instanceof Problem ? error.message : "");
