/** The doors to the stepper and the presentation; their scripts are fetched when first opened. */

import { look } from "../data/actions.js";
import { isBare, settled } from "../data/state.js";
import { find, h } from "../lib/dom.js";
import { fetched } from "../lib/fetched.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/state.js").Part} Part */

/** @type {Record<string, {open: (state: State) => boolean, shut?: Partial<State["view"]>, script: () => Promise<import("../data/state.js").ViewOf>}>} */
const DOORS = {
  stepper: {
    open: ({ view }) => view.step !== null,
    shut: { step: null },
    script: async () => (await import("./stepper.js")).stepper,
  },
  present: {
    open: ({ view }) => view.present,
    shut: { present: false },
    script: async () => (await import("./present.js")).present,
  },
  large: {
    open: ({ view }) => view.stage !== null,
    shut: { stage: null, table: false },
    script: async () => (await import("./large.js")).large,
  },
  change: {
    // Undo counts from the first answer.
    open: (state) => settled(state) && !document.body.classList.contains("embed"),
    script: async () => (await import("./change.js")).change,
  },
};

/** @type {import("../data/state.js").ViewOf} */
export function play(root, store) {
  const { t } = store;
  /** @type {Map<string, Part | null>} null while its script is on its way */
  const parts = new Map();
  const step = h(
    "button",
    { class: "button", onclick: () => look(store, { step: shown() ? null : { chapter: "project", t: 0 } }) },
    t("step.open"),
  );
  const present = () => look(store, { present: true });
  const show = h("button", { class: "button", onclick: present, title: "P" }, t("present.open"));
  root.append(step, show);
  document.addEventListener("keydown", onKey);
  document.addEventListener("keydown", onEscape, true); // before what is open already
  const shown = () => store.get().view.step !== null;

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const { target, key, ctrlKey, metaKey, altKey } = event;
    const busy = target instanceof Element && target.closest("input, textarea, select, dialog:modal");
    if (key.toLowerCase() === "p" && !busy && !ctrlKey && !metaKey && !altKey && !show.disabled && !store.get().view.present)
      present();
  }

  /** What was pressed and is still on its way is taken back. @param {KeyboardEvent} event */
  function onEscape(event) {
    const waits = Object.entries(DOORS).filter(([name, { open }]) => parts.get(name) === null && open(store.get()));
    const back = Object.assign({}, ...waits.map(([, { shut }]) => shut));
    const busy = event.target instanceof Element && event.target.closest("input, textarea, select, dialog:modal");
    if (event.key !== "Escape" || busy || Object.keys(back).length === 0) return;
    look(store, back);
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {string} name */
  async function load(name) {
    parts.set(name, null);
    const view = await fetched(DOORS[name].script);
    const place = find(`#${name}`);
    place.replaceChildren(); // what stood for it until now
    const part = view(place, store);
    parts.set(name, part);
    part.update(store.get(), /** @type {State} */ ({ view: {} }));
  }

  return {
    update(state, previous) {
      step.disabled = show.disabled = isBare(state);
      step.setAttribute("aria-pressed", String(state.view.step !== null));
      for (const [name, { open }] of Object.entries(DOORS)) {
        if (state.answer && open(state) && !parts.has(name)) load(name);
        parts.get(name)?.update(state, previous);
      }
    },
    destroy() {
      document.removeEventListener("keydown", onKey);
      document.removeEventListener("keydown", onEscape, true);
      for (const part of parts.values()) part?.destroy();
      root.replaceChildren();
    },
  };
}
