import { changeBar } from "../change/change-bar.js";
import { setView } from "../core/actions.js";
import { isBare, mayPrefetch } from "../core/state.js";
import { EditBar } from "../editing/edit-bar.js";
import { fill, find, h, isTaken } from "../lib/dom.js";
import { lazyLoad } from "../lib/load.js";
import { makeSlots } from "../lib/slots.js";

/** @type {Record<string, {open: (state: State) => boolean, shut?: Partial<State["view"]>, script: () => Promise<ViewOf>}>} */
const PANELS = {
  stepper: {
    open: ({ view }) => view.step !== null,
    shut: { step: null },
    script: async () => (await import("../walkthrough/stepper.js")).stepper,
  },
  present: {
    open: ({ view }) => view.present,
    shut: { present: false },
    script: async () => (await import("../walkthrough/presentation.js")).present,
  },
  large: {
    open: ({ view }) => view.stage !== null,
    shut: { stage: null, table: false },
    script: async () => (await import("../stages/large-stage.js")).large,
  },
  change: {
    open: (state) => mayPrefetch(state) && !document.body.classList.contains("embed"),
    script:
      async () =>
      (root, store, slots = makeSlots()) =>
        new EditBar(root, store, slots, [(bar, bench) => changeBar(bar, bench, slots)]),
  },
};

/** @type {ViewOf} */
export const play = (root, store, slots = makeSlots()) => new LazyPanels(root, store, slots);

class LazyPanels {
  /** @param {HTMLElement} root @param {Store} store @param {Slots} slots */
  constructor(root, store, slots) {
    this.root = root;
    this.store = store;
    this.slots = slots;
    /** @type {Map<string, Part | null>} null while loading */
    this.parts = new Map();
    this.step = h("button", { class: "button", onclick: () => this.toggleStep() }, store.t("step.open"));
    this.show = /** @type {HTMLButtonElement} */ (find("#show"));
    this.show.title = "P";
    fill(root, this.step);
    this.keys = new AbortController();
    const { signal } = this.keys;
    this.show.addEventListener("click", () => this.present(), { signal });
    document.addEventListener("keydown", (event) => this.onKey(event), { signal });
    const first = { capture: true, signal }; // runs before listeners of open panels
    document.addEventListener("keydown", (event) => this.onEscape(event), first);
  }

  toggleStep() {
    const shown = this.store.get().view.step !== null;
    this.step.focus(); // Safari gives a pressed button no focus, and the panel takes it from there
    setView(this.store, { step: shown ? null : { chapter: "project", t: 0 } });
  }

  present() {
    setView(this.store, { present: true });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (key.toLowerCase() !== "p" || ctrlKey || metaKey || altKey || isTaken(event)) return;
    if (!this.show.disabled && !this.store.get().view.present) this.present();
  }

  /** Closes panels that are still loading. @param {KeyboardEvent} event */
  onEscape(event) {
    if (event.key !== "Escape" || isTaken(event)) return;
    const { parts, store } = this;
    const state = store.get();
    const stays = state.framed !== null ? "large" : null; // an embedded page keeps its large stage
    const waits = Object.entries(PANELS).filter(
      ([name, { open }]) => name !== stays && !parts.get(name) && open(state),
    );
    const back = Object.assign({}, ...waits.map(([, { shut }]) => shut));
    if (Object.keys(back).length === 0) return;
    setView(store, back);
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {string} name */
  async load(name) {
    this.parts.set(name, null);
    const view = await lazyLoad(PANELS[name].script);
    const place = find(`#${name}`);
    place.replaceChildren();
    const part = view(place, this.store, this.slots);
    this.parts.set(name, part);
    part.update(this.store.get());
  }

  /** @param {State} state @param {State} [previous] */
  update(state, previous) {
    this.step.disabled = this.show.disabled = isBare(state);
    this.step.setAttribute("aria-pressed", String(state.view.step !== null));
    for (const [name, { open }] of Object.entries(PANELS)) {
      if (state.answer && open(state) && !this.parts.has(name)) this.load(name);
      this.parts.get(name)?.update(state, previous);
    }
  }

  destroy() {
    this.keys.abort();
    for (const part of this.parts.values()) part?.destroy();
    this.root.replaceChildren();
  }
}
