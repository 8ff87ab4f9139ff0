import { setView } from "../core/actions.js";
import { chosenHeads } from "../core/combined-heads.js";
import { h } from "../lib/dom.js";
import { headName } from "../matrix/names.js";
import { colorOfHead } from "./head-color.js";

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
