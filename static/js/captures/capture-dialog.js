/** Dialog for a capture that was dropped or chosen in Explore. */

import { h } from "../lib/dom.js";
import { captureScreen } from "./capture-screen.js";
import { chosenCapture } from "./chosen-capture.js";

/**
 * @param {import("../core/state.js").Store} store @param {File[]} files
 * @returns {Promise<boolean>} whether the files are a capture
 */
export async function offerCapture(store, files) {
  const chosen = await chosenCapture(files, store.page.limits);
  if (!chosen) return false;
  const { root, title } = captureScreen(store, chosen);
  const name = store.t("dialog.close");
  const close = h("button", { type: "button", class: "close", "aria-label": name, onclick: () => dialog.close() }, "✕");
  const dialog = h("dialog", { class: "captured", "aria-label": chosen.title }, close, root);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  title.focus();
  return true;
}
