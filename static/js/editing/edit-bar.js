import { setView } from "../core/actions.js";
import { isLong } from "../core/state.js";
import { AnswersByQuestion } from "./answers-by-question.js";
import { redo, undo } from "./undo.js";
import { find, h } from "../lib/dom.js";
import { lazyLoad } from "../lib/load.js";
import { dropHeadButton } from "./drop-head.js";
import { number } from "./pinned-number.js";
import { TokenField } from "./token-field.js";

export class EditBar {
  /**
   * @param {HTMLElement} root @param {Store} store @param {Slots} slots
   * @param {import("./apply-edit.js").BenchView[]} more
   */
  constructor(root, store, slots, more) {
    this.root = root;
    this.store = store;
    this.bench = { store, answered: new AnswersByQuestion(store) };
    /** @type {Part | null} */
    this.editor = null;
    this.loading = false;
    this.undo = this.tool("↶", "change.undo", () => undo(store));
    this.redo = this.tool("↷", "change.redo", () => redo(store));
    this.open = h("button", { class: "button", onclick: () => this.toggle() }, store.t("change.open"));
    root.append(this.open, this.undo, this.redo);
    this.parts = [
      number(find("#number"), this.bench),
      dropHeadButton(find("#heads"), slots("selector"), this.bench),
      new TokenField(document.body, this.bench),
      ...more.map((part) => part(root, this.bench)),
    ];
    this.keys = new AbortController();
    document.addEventListener("keydown", (event) => this.onKey(event), { signal: this.keys.signal });
  }

  /** @param {string} sign @param {string} name @param {() => void} onclick */
  tool(sign, name, onclick) {
    const label = this.store.t(name);
    return h("button", { class: "button sign", onclick, "aria-label": label, title: label }, sign);
  }

  toggle() {
    setView(this.store, { change: this.store.get().view.change ? null : "x" });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { target, key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (!(ctrlKey || metaKey) || altKey || key.toLowerCase() !== "z") return;
    // Text fields undo their own changes.
    const own = "textarea, dialog:modal, input:not([data-number], [type=range], [type=checkbox])";
    if (target instanceof Element && target.closest(own)) return;
    event.preventDefault();
    if (shiftKey) redo(this.store);
    else undo(this.store);
  }

  async load() {
    this.loading = true;
    const { EditPanel } = await lazyLoad(() => import("./edit-panel.js"));
    this.editor = new EditPanel(find("#editor"), this.bench);
    this.editor.update(this.store.get());
  }

  /** @param {State} state @param {State} [previous] */
  update(state, previous) {
    const { steps } = state;
    this.bench.answered.follow(state, previous);
    this.undo.disabled = steps.past.length + steps.pending.length === 0;
    this.redo.disabled = steps.future.length === 0;
    this.undo.hidden = this.redo.hidden = this.undo.disabled && this.redo.disabled;
    this.open.setAttribute("aria-pressed", String(state.view.change !== null));
    this.open.disabled = isLong(state); // numbers of long texts are not loaded
    this.open.title = this.open.disabled ? this.store.t("long.short") : "";
    if (state.view.change && state.answer && !this.open.disabled && !this.loading) this.load();
    this.editor?.update(state, previous);
    for (const part of this.parts) part.update(state, previous);
  }

  destroy() {
    this.keys.abort();
    for (const part of [this.editor, ...this.parts]) part?.destroy();
    this.root.replaceChildren();
  }
}
