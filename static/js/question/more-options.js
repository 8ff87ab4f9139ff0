import { mayPrefetch } from "../core/state.js";
import { closeOutside } from "../lib/close-outside.js";
import { h } from "../lib/dom.js";
import { lazyLoad } from "../lib/load.js";
import { changedText, expectFields } from "./drawer.js";

/** @typedef {import("./fields.js").Field} Field */

/** @param {Store} store @returns {Field} */
export function moreMenu(store) {
  const { t, get } = store;
  const count = h("span", { class: "badge" });
  const panel = h("div", { class: "panel" });
  const root = h("details", { class: "menu more", ontoggle: load }, h("summary", {}, t("more.title"), count), panel);
  closeOutside(root);
  /** @type {Field | null} */
  let fields = null;
  let loading = false;

  async function fetchFields() {
    const { moreFields } = await lazyLoad(() => import("./more-fields.js"));
    fields = moreFields(panel, store);
    fields.update(get());
  }

  function load() {
    if (!loading) expectFields(fetchFields());
    loading = true;
  }

  return {
    root,
    update(state) {
      const changes = changedText(store, state);
      count.textContent = changes && ` ${changes}`; // with a space for screen readers
      if (mayPrefetch(state)) load();
      fields?.update(state);
    },
  };
}
