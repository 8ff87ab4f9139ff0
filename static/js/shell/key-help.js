import { find, h } from "../lib/dom.js";

const KEYS = ["arrows", "jump", "enter", "escape", "number", "replace", "drop", "undo", "play", "present", "help"];

/** @param {HTMLElement} root @param {Store} store */
export function help(root, { t }, keys = KEYS) {
  const dialog = /** @type {HTMLDialogElement} */ (root);
  const close = h("button", { class: "close", onclick: () => dialog.close(), "aria-label": t("dialog.close") }, "✕");
  const rows = keys.map((key) => h("div", {}, h("dt", {}, t(`keys.${key}.key`)), h("dd", {}, t(`keys.${key}.does`))));
  dialog.append(h("header", {}, h("h2", {}, t("keys.title")), close), h("dl", {}, rows));
  dialog.setAttribute("aria-label", t("keys.title"));
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  const show = () => dialog.open || dialog.showModal();
  const button = /** @type {HTMLButtonElement} */ (find("[data-help]"));
  button.addEventListener("click", show);
  button.disabled = false;

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const typing = event.target instanceof Element && event.target.closest("input, textarea, select");
    if (event.key === "?" && !typing) show();
  }
  document.addEventListener("keydown", onKey);
  return { update() {}, destroy: () => document.removeEventListener("keydown", onKey) };
}
