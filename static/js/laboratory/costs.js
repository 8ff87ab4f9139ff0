import { setView } from "../core/actions.js";
import { keyedRequest } from "../core/traces.js";
import { formatBytes } from "../lib/bytes.js";
import { fill, h } from "../lib/dom.js";
import { percent } from "../lib/percent.js";
import { SIZES, changeSize, choicesOf, fetchCosts, pathOf, sizesOf, sizesText } from "./cost-measures.js";
import { CostChart, formatCount, kindTable, stageTable } from "./cost-views.js";

/** @typedef {import("./cost-measures.js").Counted} Counted */

/** @type {ViewOf} */
export const costs = (root, store) => new Costs(root, store);

class Costs {
  /** @type {Counted | null} */
  found = null;

  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    const { t } = store;
    this.root = root;
    this.store = store;
    this.trouble = h("p", { class: "error", role: "status" });
    this.sliders = SIZES.map((size) => this.slider(size));
    this.effects = [h("p", { class: "effect" }), h("p", { class: "effect" })];
    this.stages = h("div", { class: "sheet", tabindex: "0" });
    this.kinds = h("div", { class: "sheet", tabindex: "0" });
    const card = (/** @type {string} */ title, /** @type {(Node | string)[]} */ ...children) =>
      h("section", { class: "card" }, h("header", {}, h("h3", {}, t(title))), ...children);
    const [pass, token] = [h("div"), h("div")];
    this.charts = [
      new CostChart(pass, store, ["projections", "maps", "linear"]),
      new CostChart(token, store, ["without_cache", "with_cache"]),
    ];
    const fields = this.sliders.map((slider) => slider.root);
    root.classList.add("beside", "costs-of");
    root.append(
      this.trouble,
      h("div", { class: "sizes" }, fields),
      card("costs.one_pass", pass, this.effects[0]),
      card("costs.by_token", token, this.effects[1]),
      card("costs.stages", h("p", { class: "muted" }, t("costs.stages_about")), this.stages),
      card("costs.kinds", h("p", { class: "muted" }, t("costs.kinds_about")), this.kinds),
    );
    this.want = keyedRequest(
      (/** @type {Counted} */ found) => this.take(found),
      (problem) => fill(this.trouble, problem.message || t("problem.offline")),
    );
  }

  /** @param {import("./cost-measures.js").Size} size */
  slider(size) {
    const input = h("input", { type: "range", min: 0, step: 1 });
    input.addEventListener("input", () => {
      const sizes = sizesOf(this.store.get());
      const next = changeSize(sizes, size, choicesOf(sizes, size)[input.valueAsNumber]);
      setView(this.store, { sizes: sizesText(next) }, { replace: true });
    });
    const output = h("output", { translate: "no" });
    const label = h("label", {}, h("span", {}, this.store.t(size === "n" ? "costs.n" : `field.${size}`)), input);
    return { size, input, output, root: h("div", { class: "field slide" }, label, output) };
  }

  /** @param {State} state */
  update(state) {
    if (!state.answer) return;
    const sizes = sizesOf(state);
    for (const { size, input, output } of this.sliders) {
      const choices = choicesOf(sizes, size);
      input.max = String(choices.length - 1);
      input.value = String(choices.indexOf(sizes[size]));
      output.textContent = formatCount(sizes[size]);
      input.setAttribute("aria-valuetext", output.textContent);
    }
    const path = pathOf(state);
    this.want(`${state.attempt} ${path}`, () => fetchCosts(path));
  }

  destroy() {
    for (const chart of this.charts) chart.destroy();
    this.root.replaceChildren();
  }

  /** @param {Counted} found */
  take(found) {
    const { t } = this.store;
    this.found = found;
    const at = found.lengths.findIndex((each) => each.n === found.n);
    fill(this.trouble);
    for (const chart of this.charts) chart.show(found.lengths, at);
    const maps = found.stages.filter(({ stage }) => MAPS.includes(stage));
    const share = maps.reduce((sum, each) => sum + each.multiplications, 0) / found.total.multiplications;
    const { without_cache, with_cache, cache_bytes } = found.generation;
    const factor = without_cache.multiplications / with_cache.multiplications;
    const n = formatCount(found.n);
    this.effects[0].textContent = t("costs.pass_effect", {
      n,
      share: percent(share),
      crossing: formatCount(Math.ceil(found.crossing)),
    });
    this.effects[1].textContent = t("costs.token_effect", {
      n,
      bytes: formatBytes(cache_bytes),
      each: cache_bytes / (found.n * found.num_kv_heads * (found.d_k + found.d_v)),
      factor: factor < 10 ? factor.toFixed(1) : Math.round(factor),
    });
    fill(this.stages, stageTable(this.store, found));
    fill(this.kinds, kindTable(this.store, found));
  }
}

const MAPS = ["scores", "scaled_scores", "masked_scores", "weights", "head_outputs"];
