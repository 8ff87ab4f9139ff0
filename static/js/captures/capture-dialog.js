import { h } from "../lib/dom.js";
import { captureScreen } from "./capture-screen.js";
import { chosenCapture } from "./chosen-capture.js";

/**
 * @param {Store} store @param {File[]} files
 * @param {import("./capture-screen.js").Opened} [opened] called instead of opening Explore
 * @returns whether the files are a capture
 */
export async function offerCapture(store, files, opened) {
  const chosen = await chosenCapture(files, store.page.limits);
  if (!chosen) return false;
  const { root, title } = captureScreen(store, chosen, opened && shut);
  const name = store.t("dialog.close");
  const close = h("button", { type: "button", class: "close", "aria-label": name, onclick: () => dialog.close() }, "✕");
  const dialog = h("dialog", { class: "captured", "aria-label": chosen.title }, close, root);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  title.focus();
  return true;

  /** @type {import("./capture-screen.js").Opened} */
  function shut(reply) {
    dialog.close();
    opened?.(reply);
  }
}
