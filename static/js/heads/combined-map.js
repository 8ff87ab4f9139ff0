import { combinedPicture, rolloutTitle, titleOf } from "../core/combined-heads.js";
import { stageOf } from "../core/page.js";
import { isCrossAttention, keyOf, fetchRollout, showsRollout } from "./rollout.js";
import { keyedRequest } from "../core/traces.js";
import { fill, h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { isClosed, valueAt } from "../lib/paint.js";
import { passingWords } from "../core/refusal-words.js";
import { Heatmap } from "../matrix/heatmap.js";
import { leftOutWords, titleWithout } from "../matrix/left-out.js";
import { legend } from "../matrix/legend.js";
import { placeOf } from "../matrix/cell-text.js";
import { isExact } from "../matrix/read-cell.js";
import { CombineMenu } from "./combine-menu.js";
import { metricsOf } from "./head-metrics.js";

const SIZE = { most: 40, gutter: 76 };

/** @param {Store} store @param {State} state */
const mapTitle = (store, state) =>
  titleWithout(store, state, showsRollout(state) ? rolloutTitle(store, state) : titleOf(store, state));

export class CombinedHeatmap extends Heatmap {
  /** @type {{key: string, picture: import("./rollout.js").Whole} | null} */
  layers = null;

  /** @param {State} state */
  take(state) {
    const across = this.layers?.key === keyOf(state) ? this.layers.picture : null;
    const picture = showsRollout(state) ? across : combinedPicture(state);
    if (picture !== this.picture) this.painted = "";
    return picture;
  }

  /** @param {State} state @param {SizedPicture} picture */
  describe(state, picture) {
    super.describe(state, picture);
    const { rows, cols } = picture;
    const title = mapTitle(this.store, state);
    this.plot.setAttribute("aria-label", this.store.t("heads.picture", { title, rows, cols }));
  }

  /** @param {State["hover"]} cell */
  hover(cell) {
    // Without `keys`: else announce-cell.js would announce the number of the selected head.
    super.hover(cell && { stage: cell.stage, row: cell.row, col: cell.col });
  }
}

export class CombinedMap {
  /** @type {{key: string, message: string} | null} */
  failed = null;
  wanted = "";

  /** @param {HTMLElement} root @param {Store} store @param {typeof CombinedHeatmap} [Kind] */
  constructor(root, store, Kind = CombinedHeatmap) {
    this.root = root;
    this.store = store;
    this.title = h("h3");
    this.ways = new CombineMenu(store);
    this.assumed = h("p", { class: "muted" });
    this.trouble = h("p", { class: "error", role: "status" });
    this.picture = h("div");
    this.foot = h("div");
    this.left = h("p", { class: "muted" });
    this.pointed = h("div", { class: "metrics" });
    this.spoken = h("p", { class: "hidden", "aria-live": "polite" });
    const header = h("header", {}, this.title, this.ways.upTo, this.ways.combine);
    root.append(header, this.ways.rollout, this.assumed, this.trouble, this.picture, this.foot);
    root.append(this.left, this.pointed, this.spoken);
    const stage = stageOf(store.page, "weights");
    this.plate = new Kind(this.picture, store, stage, SIZE);
    this.ramp = legend(this.foot, store, stage, (state) => this.plate.take(state));
    this.want = keyedRequest(
      (/** @type {NonNullable<CombinedHeatmap["layers"]>} */ found) => this.take(found),
      (problem) => this.fail(problem),
    );
  }

  /** @type {Part["update"]} */
  update(state, previous) {
    this.title.textContent = mapTitle(this.store, state);
    this.acrossLayers(state);
    const fetched = state.every !== previous?.every;
    if (fetched) this.plate.draw(state);
    this.plate.update(state, previous);
    const others = fetched || state.view !== previous?.view;
    this.ramp.update(state, others ? undefined : previous);
    const turned = state.hover !== previous?.hover;
    if (fetched || turned || state.metrics !== previous?.metrics || state.view !== previous?.view) this.measure(state);
    if (turned || state.exact !== previous?.exact) this.say(state);
  }

  destroy() {
    this.plate.destroy();
    this.ramp.destroy();
    this.root.replaceChildren();
  }

  /** @param {State} state */
  measure(state) {
    fill(this.pointed, metricsOf(this.store, state));
    if (state.every) this.pointed.dataset.trace = state.every.masked.answer.reply.trace;
  }

  /** @param {NonNullable<CombinedHeatmap["layers"]>} layers */
  take(layers) {
    this.plate.layers = layers;
    this.redraw();
  }

  /** @param {Problem} problem */
  fail(problem) {
    this.failed = { key: this.wanted, message: passingWords(this.store, problem) };
    this.redraw();
  }

  redraw() {
    const state = this.store.get();
    this.acrossLayers(state);
    this.plate.draw(state);
    this.ramp.update(state);
  }

  /** Requests the rollout, and says what it assumes or why it is missing. @param {State} state */
  acrossLayers(state) {
    const now = showsRollout(state);
    const crossed = isCrossAttention(state);
    const key = keyOf(state);
    this.ways.show(state);
    this.assumed.hidden = !now || crossed;
    const about = state.view.combine === "max" ? "heads.rollout_max_about" : "heads.rollout_about";
    this.assumed.textContent = this.store.t(about);
    this.trouble.textContent = now ? this.obstacle(crossed, key) : "";
    this.picture.hidden = this.foot.hidden = Boolean(this.trouble.textContent);
    this.root.toggleAttribute("data-rollout", now);
    const pending = now ? !crossed && this.plate.layers?.key !== key : !this.plate.take(state);
    this.root.toggleAttribute("data-pending", pending);
    this.left.textContent = leftOutWords(this.store, state, now ? "heads.skip_rollout" : "heads.skip_out");
    if (!now || crossed) return;
    this.wanted = key;
    this.want(key, async () => ({ key, picture: await fetchRollout(state) }));
  }

  /** @param {boolean} crossed @param {string} key */
  obstacle(crossed, key) {
    if (crossed) return this.store.t("heads.rollout_context");
    return this.failed?.key === key ? this.failed.message : "";
  }

  /** @param {State} state */
  say(state) {
    const { hover } = state;
    const { picture: seen } = this.plate;
    if (!hover || hover.of || !seen || !this.plate.plot.matches(":focus")) return;
    if (!isExact(seen, hover)) return; // announce only exact numbers
    const value = isClosed(seen, hover.row, hover.col) ? null : valueAt(seen, hover.row, hover.col);
    const left = seen.left?.includes(hover.col);
    const said = left ? this.store.t("cell.left_out") : format(value, state.view.precision);
    this.spoken.textContent = `${placeOf(this.store, state, hover)}: ${said}`;
  }
}
