/** The script of a tab loads when the tab is first opened. */

import { setView } from "../core/actions.js";
import { isBare } from "../core/state.js";
import { wordView } from "../core/in-words.js";
import { fill, find, h } from "../lib/dom.js";
import { lazyLoad } from "../lib/load.js";
import { makeSlots } from "../lib/slots.js";

/** @type {Record<string, () => Promise<ViewOf>>} */
export const TAB_SCRIPTS = {
  heads: async () => wordView((await import("../heads/heads-tab.js")).grid),
  lines: async () => wordView((await import("../lines/lines-tab.js")).lines),
  map: async () => wordView((await import("../map/map-tab.js")).map, ({ view }) => view.map === "weights"),
  gradients: async () => (await import("../gradients/gradients-tab.js")).gradients,
  parameters: async () => (await import("../parameters/parameters-tab.js")).parameters,
  worth: async () => (await import("../worth/worth-tab.js")).worth,
  decode: async () => (await import("../decode/decode-tab.js")).decode,
  lab: async () => (await import("../laboratory/laboratory-tab.js")).lab,
};

/** A group of one tab has no heading. @type {Record<string, Tab[]>} */
const GROUPS = {
  look: ["stages", "heads", "lines", "map", "decode"],
  why: ["worth", "gradients", "parameters"],
  lab: ["lab"],
};

/** @type {ViewOf} */
export const tabs = (root, store, slots = makeSlots()) => new Tabs(root, store, slots);

class Tabs {
  /** @param {HTMLElement} root @param {Store} store @param {Slots} slots */
  constructor(root, store, slots) {
    root.setAttribute("role", "tablist");
    root.setAttribute("aria-label", store.t("tab.label"));
    this.root = root;
    this.store = store;
    this.slots = slots;
    this.names = Object.values(GROUPS).flat();
    this.buttons = this.names.map((name) => this.button(name));
    root.append(...Object.keys(GROUPS).map((group) => this.group(group)));
    this.places = Object.fromEntries(this.names.map((name) => [name, placeOf(name)]));
  }

  /** @param {string} group */
  group(group) {
    const buttons = GROUPS[group].map((name) => this.buttons[this.names.indexOf(name)]);
    const label = buttons.length > 1 && this.store.t(`tab.group.${group}`);
    for (const button of buttons) if (label) button.setAttribute("aria-description", label);
    return h("div", {}, label && h("span", { "aria-hidden": "true" }, label), buttons);
  }

  /** @param {Tab} name */
  button(name) {
    const attributes = {
      role: "tab",
      id: `tab-${name}`,
      "aria-controls": idOf(name),
      onclick: () => setView(this.store, { tab: name }),
    };
    return h("button", attributes, this.store.t(`tab.${name}`));
  }

  /** @param {Tab} name */
  async open(name) {
    const place = this.places[name];
    const { t } = this.store;
    const load = TAB_SCRIPTS[name];
    delete TAB_SCRIPTS[name];
    const gone = t("problem.offline_title") + t("text.between") + t("problem.retrying");
    const notice = (/** @type {boolean} */ replaced) =>
      fill(place.panel, h("p", { class: "muted", role: "status" }, replaced ? t("refused.replaced") : gone));
    const view = await lazyLoad(load, notice);
    fill(place.panel);
    place.part = view(place.panel, this.store, this.slots);
    place.part.update(this.store.get());
  }

  /** @param {State} state @param {State} [previous] */
  update(state, previous) {
    if (state.view.tab !== previous?.view.tab) this.choose(state.view.tab);
    const bare = isBare(state);
    if (!previous || bare !== isBare(previous)) this.disable(bare);
    for (const { part } of Object.values(this.places)) part?.update(state, previous);
  }

  /** @param {Tab} tab */
  choose(tab) {
    this.names.forEach((name, index) => {
      const chosen = name === tab;
      this.places[name].panel.hidden = !chosen;
      this.buttons[index].setAttribute("aria-selected", String(chosen));
      this.buttons[index].tabIndex = chosen ? 0 : -1;
    });
    if (tab in TAB_SCRIPTS) this.open(tab);
  }

  /** @param {boolean} bare */
  disable(bare) {
    this.names.forEach((name, at) => (this.buttons[at].disabled = this.places[name].panel.inert = bare));
  }

  destroy() {
    for (const { part } of Object.values(this.places)) part?.destroy();
    this.root.replaceChildren();
  }
}

/** The panel of the stages is in the HTML. @param {Tab} name */
const idOf = (name) => (name === "stages" ? "pipeline" : `panel-${name}`);

/** @param {Tab} name @returns {{panel: HTMLElement, part: Part | null}} part null until opened */
function placeOf(name) {
  const panel = name === "stages" ? find("#pipeline") : h("div", { id: idOf(name), hidden: true });
  panel.setAttribute("role", "tabpanel");
  panel.setAttribute("aria-labelledby", `tab-${name}`);
  if (name !== "stages") find("#panels").append(panel);
  return { panel, part: null };
}
