/** Lines: queries on one side, keys on the other, a line for each weight; a colour for each head. */

import { look } from "../data/actions.js";
import { chosenHeads } from "../data/combine.js";
import { startEvery } from "../data/every.js";
import { fill, h } from "../lib/dom.js";
import { short } from "../lib/numbers.js";
import { colorOfHead, web } from "./web.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {{layer: number, head: number}} Place */

/** @type {import("../data/state.js").ViewOf} */
export function lines(root, store) {
  const { t } = store;
  const layer = h("select", { onchange: () => look(store, { layer: Number(layer.value), heads: [] }) });
  const layers = h("label", { class: "field" }, h("span", {}, t("lines.layer")), layer);
  const swatches = h("div", { class: "swatches", role: "group", "aria-label": t("lines.heads") });
  const threshold = h("input", {
    type: "range",
    min: 0,
    max: 1,
    step: 0.01,
    oninput: () => set({ threshold: threshold.valueAsNumber }),
  });
  const least = h("output");
  const layout = h(
    "select",
    { onchange: () => look(store, { layout: /** @type {"vertical" | "horizontal"} */ (layout.value) }) },
    ["vertical", "horizontal"].map((name) => h("option", { value: name }, t(`layout.${name}`))),
  );
  const combine = h(
    "select",
    { onchange: () => look(store, { combine: /** @type {"mean" | "max"} */ (combine.value) }) },
    ["mean", "max"].map((name) => h("option", { value: name }, t(`heads.${name}`))),
  );
  const together = h("label", { class: "field" }, h("span", {}, t("heads.combine")), combine);
  const drawing = h("div");
  root.classList.add("lines");
  root.append(
    h(
      "div",
      { class: "choices", role: "group", "aria-label": t("lines.choices") },
      layers,
      h("span", { class: "field" }, h("span", { "aria-hidden": "true" }, t("lines.heads")), swatches),
      h("label", { class: "field" }, h("span", {}, t("lines.threshold")), threshold, least),
      h("label", { class: "field" }, h("span", {}, t("lines.layout")), layout),
      together,
    ),
    drawing,
  );
  const part = web(drawing, store);
  let drawn = /** @type {State} */ ({ view: {} });
  let shown = "";
  startEvery(store);

  /** @param {Partial<import("../data/address.js").View>} patch */
  function set(patch) {
    store.set({ view: { ...store.get().view, ...patch } }, { replace: true });
  }

  /** @param {Place} place */
  function toggle({ layer, head }) {
    const chosen = chosenHeads(store.get());
    const rest = chosen.filter((each) => each.layer !== layer || each.head !== head);
    const next = rest.length < chosen.length ? rest : [...chosen, { layer, head }];
    if (next.length === 1) look(store, { ...next[0], heads: [] });
    else if (next.length) look(store, { heads: next.map((each) => [each.layer, each.head]) });
  }

  /** @param {State} state */
  function show(state) {
    const { view, theme } = state;
    const { num_layers, num_heads } = /** @type {import("../data/answer.js").Answer} */ (state.answer).reply.shape;
    layers.hidden = num_layers < 2;
    if (layer.options.length !== num_layers)
      fill(layer, Array.from({ length: num_layers }, (_, at) => h("option", { value: at }, at)));
    layer.value = String(view.layer);
    threshold.value = String(view.threshold);
    least.textContent = short(view.threshold, 2);
    layout.value = view.layout;
    combine.value = view.combine;
    const chosen = chosenHeads(state);
    together.hidden = chosen.length < 2;
    const own = Array.from({ length: num_heads }, (_, head) => ({ layer: view.layer, head }));
    const places = [...own, ...chosen.filter((place) => place.layer !== view.layer)];
    const key = `${theme} ${num_layers} ${JSON.stringify(places)}`;
    if (key !== shown) fill(swatches, places.map((place) => swatch(place, num_layers, theme)));
    shown = key;
    places.forEach(({ layer, head }, at) => {
      const on = chosen.some((each) => each.layer === layer && each.head === head);
      swatches.children[at].setAttribute("aria-pressed", String(on));
    });
  }

  /** @param {Place} place @param {number} count @param {string} theme */
  function swatch(place, count, theme) {
    const name = t("heads.one", /** @type {any} */ (place));
    const text = count > 1 ? `${place.layer}.${place.head}` : place.head;
    const button = h("button", { onclick: () => toggle(place), title: name, "aria-label": name }, text);
    button.style.setProperty("--head", colorOfHead(place, theme));
    return button;
  }

  return {
    update(state) {
      if (state.view.tab !== "lines" || !state.answer) return;
      const { view, answer, theme, every } = drawn;
      if (state.view !== view || state.answer !== answer || state.theme !== theme || state.every !== every) show(state);
      part.update(state, drawn);
      drawn = state;
    },
    destroy() {
      part.destroy();
      root.replaceChildren();
    },
  };
}
