/** Uploaded weights: by button, or dropped anywhere on the page; what was recognised is said. */

import { Problem, model as fetchModel, upload } from "../core/api.js";
import { closeOutside, fill, h } from "../lib/dom.js";

/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Store} Store */

/**
 * Sends files; on success the question uses them, on refusal everything stays as it was.
 * @param {Store} store
 * @param {File[]} files
 * @param {number} heads
 * @param {string} [mapping]
 */
async function send(store, files, heads, mapping = "") {
  if (files.length === 0) return;
  store.set({ files, uploading: true, uploadProblem: null }, { silent: true });
  try {
    const found = await upload(files, heads, mapping);
    const { question, drafts } = store.get();
    const kept = { ...drafts, [question.model.source]: question.model };
    const model = { source: "uploaded", id: found.id };
    store.set({ upload: found, uploading: false, drafts: kept, question: { ...question, model } });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    store.set({ uploadProblem: error, uploading: false }, { silent: true });
  }
}

/**
 * A file dropped anywhere is an upload.
 * @param {Store} store
 */
export function acceptDrops(store) {
  let depth = 0; // of dragenter without dragleave
  const show = () => document.documentElement.classList.toggle("dropping", depth > 0);
  const carries = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragenter", (event) => {
    if (carries(event)) depth += 1;
    show();
  });
  addEventListener("dragleave", (event) => {
    if (carries(event)) depth -= 1;
    show();
  });
  addEventListener("dragover", (event) => carries(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    depth = 0;
    show();
    const heads = document.querySelector(".upload-heads");
    send(store, [...(event.dataTransfer?.files ?? [])], heads instanceof HTMLInputElement ? Number(heads.value) : 1);
  });
}

/**
 * @param {Store} store
 * @returns {import("./fields.js").Field}
 */
export function uploadField(store) {
  const { t, page } = store;
  const heads = h("input", { class: "upload-heads", type: "number", min: 1, max: page.limits.max_heads, value: 1 });
  const accept = ".safetensors,.npz,.json";
  const input = h("input", { type: "file", multiple: true, accept, class: "hidden", "aria-label": t("upload.choose") });
  const button = h("button", { type: "button", class: "button", onclick: () => input.click() }, t("upload.choose"));
  const found = h("span", { class: "found", role: "status" });
  const error = h("span", { class: "error", role: "alert" });
  const mapping = h("textarea", { rows: 4, spellcheck: "false", placeholder: '{"w_q": "attn.query.weight"}' });
  const sendAs = (/** @type {File[]} */ files) => send(store, files, Number(heads.value) || 1, mapping.value);
  for (const field of [heads, mapping]) field.addEventListener("change", () => sendAs(store.get().files));
  input.addEventListener("change", async () => {
    await sendAs([...(input.files ?? [])]);
    input.value = "";
  });
  const { id } = store.get().question.model;
  if (id && store.get().upload?.id !== id) recall(store, id);
  return {
    root: h(
      "div",
      { class: "fields" },
      h("label", { class: "field" }, h("span", {}, t("field.num_heads")), heads),
      h(
        "div",
        { class: "field" },
        h("span", {}, t("upload.file")),
        button,
        input,
        mappingMenu(store, mapping),
        found,
        error,
      ),
    ),
    update(state) {
      fill(found, status(store, state));
      error.textContent = refusal(store, state);
      button.disabled = state.uploading;
      const { upload: known, files, question } = state;
      const used = known?.id === question.model.id ? known : null;
      heads.readOnly = state.uploading || (used !== null && files.length === 0);
      heads.title = t(heads.readOnly && used ? "upload.reload" : "hint.upload_heads");
      if (used && !state.uploading && !state.uploadProblem) heads.value = String(used.shape.num_heads);
    },
  };
}

/**
 * For files whose tensors have names of their own.
 * @param {Store} store
 * @param {HTMLTextAreaElement} box
 */
function mappingMenu({ t }, box) {
  box.setAttribute("aria-label", t("upload.mapping"));
  const root = h(
    "details",
    { class: "menu mapping" },
    h("summary", {}, t("upload.mapping")),
    h("div", { class: "panel" }, h("p", { class: "muted" }, t("upload.mapping_about")), box),
  );
  closeOutside(root);
  return root;
}

/**
 * An address names an upload by its id: ask what it was.
 * @param {Store} store
 * @param {string} id
 */
async function recall(store, id) {
  try {
    store.set({ upload: await fetchModel(id) }, { silent: true });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    store.set({ uploadProblem: error }, { silent: true });
  }
}

/** @param {Store} store @param {State} state */
function refusal({ t }, { uploading, uploadProblem }) {
  if (uploading || !uploadProblem) return "";
  return uploadProblem.message || t("problem.offline");
}

/** @param {Store} store @param {State} state */
function status({ t }, { uploading, upload: found, question }) {
  if (uploading) return t("upload.sending");
  if (!found || found.id !== question.model.id) return t("upload.hint");
  const { name, layout, shape } = found;
  return [
    h("b", {}, name),
    " ",
    t("upload.recognised", {
      layout,
      heads: shape.num_heads,
      d_model: shape.d_model,
      layers: shape.num_layers ?? 1,
    }),
  ];
}
