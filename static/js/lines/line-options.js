import { setView } from "../core/actions.js";
import { chosenHeads } from "../core/combined-heads.js";
import { offerIndices } from "../lib/count-select.js";
import { h } from "../lib/dom.js";
import { field } from "../lib/field.js";
import { short } from "../lib/numbers.js";
import { makeSelect, setOptions } from "../lib/select.js";
import { LeftOutChoice } from "../matrix/left-out.js";
import { headName } from "../matrix/names.js";
import { colorOfHead } from "./drawing.js";

export class HeadSwatches {
  shown = "";

  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    this.root = h("div", { class: "swatches", role: "group", "aria-label": store.t("lines.heads") });
  }

  /** @param {State} state */
  show(state) {
    const { view, theme } = state;
    const { num_heads } = /** @type {Answer} */ (state.answer).reply.shape;
    const chosen = chosenHeads(state);
    const own = Array.from({ length: num_heads }, (_, head) => ({ layer: view.layer, head }));
    const places = [...own, ...chosen.filter((place) => place.layer !== view.layer)];
    const key = `${theme} ${JSON.stringify(places)}`;
    if (key !== this.shown) this.root.replaceChildren(...places.map((place) => this.swatch(place, theme)));
    this.shown = key;
    places.forEach((place, at) => {
      const on = chosen.some((each) => same(each, place));
      this.root.children[at].setAttribute("aria-pressed", String(on));
    });
  }

  /** @param {Place} place @param {string} theme */
  swatch(place, theme) {
    const [short, name] = [headName(place), this.store.t("heads.one", { ...place })];
    const press = () => toggle(this.store, place);
    const button = h("button", { onclick: press, title: name, "aria-label": `${short}, ${name}` }, short);
    button.style.setProperty("--head", colorOfHead(place, theme));
    return button;
  }
}

/** @param {Place} one @param {Place} other */
const same = (one, other) => one.layer === other.layer && one.head === other.head;

/** Never hides the last head. @param {Store} store @param {Place} place */
function toggle(store, place) {
  const chosen = chosenHeads(store.get());
  const rest = chosen.filter((each) => !same(each, place));
  const next = rest.length < chosen.length ? rest : [...chosen, place];
  if (next.length === 1) setView(store, { ...next[0], heads: [] });
  else if (next.length) setView(store, { heads: next.map((each) => [each.layer, each.head]) });
}

export class LineOptions {
  /** @param {Store} store */
  constructor(store) {
    const { t } = store;
    this.store = store;
    this.layer = makeSelect((index) => setView(store, { layer: Number(index), heads: [] }));
    this.layers = field(t("lines.layer"), this.layer);
    this.swatches = new HeadSwatches(store);
    this.threshold = h("input", { type: "range", min: 0, max: 1, step: 0.01, oninput: () => this.slide() });
    this.least = h("output", { translate: "no" });
    this.layout = makeSelect((name) => setView(store, { layout: /** @type {"vertical" | "horizontal"} */ (name) }));
    this.combine = makeSelect((name) => setView(store, { combine: /** @type {"mean" | "max"} */ (name) }));
    this.together = field(t("heads.combine"), this.combine);
    this.keys = new LeftOutChoice(store);
    this.root = h(
      "div",
      { class: "choices", role: "group", "aria-label": t("lines.choices") },
      this.layers,
      h("span", { class: "field" }, h("span", { "aria-hidden": "true" }, t("lines.heads")), this.swatches.root),
      field(t("lines.threshold"), this.threshold, this.least),
      field(t("lines.layout"), this.layout),
      this.together,
      this.keys.root,
    );
  }

  slide() {
    setView(this.store, { threshold: this.threshold.valueAsNumber }, { replace: true });
  }

  /** @param {State} state */
  show(state) {
    const { t } = this.store;
    const { view } = state;
    const { num_layers } = /** @type {Answer} */ (state.answer).reply.shape;
    this.layers.hidden = num_layers < 2;
    offerIndices(this.layer, num_layers, view.layer, String);
    this.threshold.value = String(view.threshold);
    this.least.textContent = short(view.threshold, 2);
    setOptions(this.layout, ["vertical", "horizontal"], view.layout, (name) => t(`layout.${name}`));
    setOptions(this.combine, ["mean", "max"], view.combine, (name) => t(`heads.${name}`));
    this.together.hidden = chosenHeads(state).length < 2;
    this.keys.show(state);
    this.swatches.show(state);
  }
}
