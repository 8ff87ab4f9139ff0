import { setField } from "../core/question-changes.js";
import { MATRICES } from "../core/question.js";
import { h } from "../lib/dom.js";
import { keystrokes } from "./keystrokes.js";
import { pasteBox } from "./paste-box.js";

const OPTIONAL = new Set(["w_o", "b_q", "b_k", "b_v", "b_o", "x"]);

/** Parses JSON, or rows of numbers. Undefined if invalid. @param {string} text @returns {unknown} */
function readMatrix(text) {
  const trimmed = text.trim();
  if (trimmed.startsWith("[")) {
    try {
      return JSON.parse(trimmed);
    } catch {
      return undefined;
    }
  }
  const rows = trimmed.split(/\n|;/).map((row) =>
    row
      .trim()
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(number),
  );
  return rows.flat().every(Number.isFinite) ? rows.filter((row) => row.length) : undefined;
}

/** @param {string} text with - or − */
const number = (text) => Number(text.replace("−", "-"));

/** @param {unknown} values */
function writeMatrix(values) {
  if (values === null || values === undefined) return "";
  if (!Array.isArray(values)) return JSON.stringify(values);
  const isRow = (/** @type {unknown} */ row) => Array.isArray(row) && !row.some(Array.isArray);
  if (values.every(isRow)) return values.map((row) => row.join("  ")).join("\n");
  return values.some(Array.isArray) ? JSON.stringify(values) : values.join("  ");
}

/** @param {Store} store @returns {import("./fields.js").Field} */
export function matricesButton(store) {
  const { t } = store;
  const paths = [...MATRICES.map((name) => `model.${name}`), "x"];
  const boxes = paths.map((path) => matrixBox(store, path));
  const paste = pasteBox(store, new Set(paths));
  const close = h("button", { type: "button", class: "button", onclick: () => dialog.close() }, t("dialog.done"));
  const dialog = h(
    "dialog",
    { class: "matrices", "aria-label": t("matrices.title") },
    h("header", {}, h("h2", {}, t("matrices.title")), close),
    h("p", { class: "muted" }, t("matrices.about")),
    h("div", { class: "grid" }, paste.root, ...boxes.map((box) => box.root)),
  );
  const open = () => dialog.showModal();
  const button = h("button", { type: "button", class: "button", onclick: open }, t("matrices.edit"));
  return {
    root: h("div", { class: "field" }, h("span", {}, t("matrices.field")), button, dialog),
    update(state) {
      for (const box of [paste, ...boxes]) box.update(state);
      const wrong = state.problem?.errors.some(({ at }) => at && /^(x|model\.[wb]_)/.test(at)) ?? false;
      button.classList.toggle("wrong", wrong);
    },
  };
}

/** @param {Store} store @param {string} path */
function matrixBox(store, path) {
  const name = path.split(".").at(-1) ?? path;
  const box = h("textarea", {
    rows: 4,
    spellcheck: "false",
    placeholder: OPTIONAL.has(name) ? store.t("matrices.none") : "",
  });
  const size = h("span", { class: "muted" });
  const error = h("span", { class: "error", role: "alert" });
  const how = keystrokes(box);
  let unread = "";
  /** @type {unknown} */
  let shown;
  box.addEventListener("input", () => {
    const blank = box.value.trim() === "";
    const values = blank ? null : readMatrix(box.value);
    const bias = name.startsWith("b_") && Array.isArray(values) && values.length === 1;
    unread = values === undefined || (blank && !OPTIONAL.has(name)) ? store.t("matrices.unreadable") : "";
    error.textContent = unread;
    if (!unread) setField(store, path, bias && Array.isArray(values[0]) ? values[0] : values, how());
  });
  return {
    root: h("label", {}, h("span", { class: "title" }, h("b", {}, name), " ", size), box, error),
    /** @param {State} state */
    update(state) {
      const values = path === "x" ? state.question.x : state.question.model[name];
      if (values !== shown) unread = ""; // the values changed elsewhere
      if (document.activeElement !== box && !unread) box.value = writeMatrix(values);
      shown = values;
      size.textContent = sizeOf(values);
      const refusal = state.problem?.errors.find(({ at }) => at === path);
      error.textContent = unread || (refusal?.message ?? "");
    },
  };
}

/** @param {any} values */
function sizeOf(values) {
  const sizes = [];
  for (let inner = values; Array.isArray(inner); inner = inner[0]) sizes.push(inner.length);
  return sizes.join(" × ");
}
