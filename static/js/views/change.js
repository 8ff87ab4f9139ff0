/** Changing anything: undo and redo, what is being changed, and what a change did. */

import { look } from "../data/actions.js";
import { Answered } from "../data/answered.js";
import { SHOWN_IN, lastTrace } from "../data/before.js";
import { Steps } from "../data/steps.js";
import { find, h } from "../lib/dom.js";
import { fetched } from "../lib/fetched.js";
import { dropper } from "./drop.js";
import { flash } from "./flash.js";
import { number } from "./number.js";
import { replace } from "./replace.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/state.js").Part} Part */

/** @type {import("../data/state.js").ViewOf} */
export function change(root, store) {
  const { t } = store;
  const bench = { store, steps: new Steps(store), answered: new Answered(store) };
  const { steps } = bench;
  /** @type {Part | null} */
  let editor = null;
  let loading = false;
  let comparing = false;
  const undo = tool("↶", "change.undo", () => steps.undo());
  const redo = tool("↷", "change.redo", () => steps.redo());
  const toggle = () => look(store, { change: store.get().view.change ? null : "x" });
  const open = h("button", { class: "button", onclick: toggle }, t("change.open"));
  const isShown = () => store.get().view.since !== null || SHOWN_IN.includes(store.get().view.tab);
  const compare = () => isShown() && look(store, { since: store.get().view.since ? null : lastTrace(bench) });
  const show = h("button", { class: "button", onclick: compare }, t("change.show"));
  root.append(open, undo, redo, show);
  const parts = [number(find("#number"), bench), dropper(find("#heads"), bench), replace(document.body, bench), flash(find("#pipeline"), store)];
  document.addEventListener("keydown", onKey);
  const stop = store.subscribe(update);
  update(store.get(), /** @type {State} */ ({ view: {} }));

  /** @param {string} sign @param {string} name @param {() => void} onclick */
  function tool(sign, name, onclick) {
    return h("button", { class: "button sign", onclick, "aria-label": t(name), title: t(name) }, sign);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const { target, key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (!(ctrlKey || metaKey) || altKey || key.toLowerCase() !== "z") return;
    // Where text is typed the browser takes back letters; a dialog is about something else.
    const own = "textarea, dialog:modal, input:not([data-number], [type=range], [type=checkbox])";
    if (target instanceof Element && target.closest(own)) return;
    event.preventDefault();
    if (shiftKey) steps.redo();
    else steps.undo();
  }

  async function load() {
    loading = true;
    editor = (await fetched(() => import("./editor.js"))).editor(find("#editor"), bench);
    editor.update(store.get(), /** @type {State} */ ({ view: {} }));
  }

  async function loadSince() {
    comparing = true;
    const part = (await fetched(() => import("./since.js"))).since(find("#pipeline"), bench);
    parts.push(part);
    part.update(store.get(), store.get());
  }

  /** @param {State} state @param {State} previous */
  function update(state, previous) {
    undo.disabled = steps.past.length + steps.pending.length === 0;
    redo.disabled = steps.future.length === 0;
    open.setAttribute("aria-pressed", String(state.view.change !== null));
    show.setAttribute("aria-pressed", String(state.view.since !== null));
    show.setAttribute("aria-disabled", String(!isShown()));
    show.title = t(isShown() ? "change.show_told" : "change.show_elsewhere");
    if (state.view.change && state.answer && !loading) load();
    if (state.view.since && state.answer && !comparing) loadSince();
    editor?.update(state, previous);
    for (const part of parts) part.update(state, previous);
    if (state.unchanged && state.question !== previous.question) store.set({ unchanged: null }, { silent: true });
  }

  return {
    update() {}, // its own subscription comes after every other view, and after each of their changes
    destroy() {
      document.removeEventListener("keydown", onKey);
      for (const end of [stop, steps.forget, bench.answered.forget]) end();
      for (const part of [editor, ...parts]) part?.destroy();
      root.replaceChildren();
    },
  };
}
