/** “Share & export” and “Compare”, whose scripts load on the first click. */

import { installedOf } from "../core/page.js";
import { isLong } from "../core/state.js";
import { fill, find, h } from "../lib/dom.js";
import { lazyLoad } from "../lib/load.js";

/** @type {ViewOf} */
export function share(root, store) {
  const { t } = store;
  const dialog = h("dialog", { id: "takeaway", "aria-label": t("share.title") });
  const compare = /** @type {HTMLButtonElement} */ (find("#against"));
  const open = h("button", { type: "button", class: "button", "data-take": "" }, t("share.title"));
  fill(root, open, dialog);
  compare.disabled = false;
  compare.addEventListener("click", leave);
  document.addEventListener("click", onClick);
  /** @type {Promise<(stage: string) => void> | null} */
  let coming = null; // one dialog, even if pressed again before its script has loaded

  async function build() {
    return (await lazyLoad(() => import("./share-dialog.js"))).shareDialog(dialog, store);
  }

  /** Opens the dialog for any button with `data-take`, which may name a stage. @param {Event} event */
  async function onClick({ target }) {
    const button = target instanceof Element ? target.closest("[data-take]") : null;
    if (!(button instanceof HTMLElement) || !store.get().answer) return;
    const { view } = store.get();
    const show = await (coming ??= build());
    const pinned = store.page.stages.find(({ name }) => name === view.cell?.stage);
    show(button.dataset.take || (view.stage ?? pinned?.name ?? "weights"));
  }

  /** Opens Compare with the previous question, an adapter's base model, or the same question. */
  async function leave() {
    const { writePair } = await lazyLoad(() => import("../compare/pair-address.js"));
    const { question, steps, view } = store.get();
    const a = steps.past.at(-1) ?? ofBase(store.page, question);
    const pair = /** @type {const} */ ({ a, b: question, view, align: "position" });
    location.assign(writePair(pair, new URL(location.href), store.page));
  }

  return {
    update(state) {
      open.disabled = state.answer === null;
      compare.disabled = isLong(state); // Compare needs all cells
      compare.title = compare.disabled ? t("long.short") : "";
    },
    destroy() {
      document.removeEventListener("click", onClick);
      compare.removeEventListener("click", leave);
      root.replaceChildren();
    },
  };
}

/** @param {Page} page @param {Question} question */
function ofBase(page, question) {
  const { base } = installedOf(page, question) ?? {};
  return base ? { ...question, model: { ...question.model, name: base } } : question;
}
