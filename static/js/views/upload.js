/** Uploaded weights: by button, or dropped anywhere on the page; what was recognised is said. */

import { Problem, model as fetchModel, upload } from "../data/api.js";
import { fill, h } from "../lib/dom.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/state.js").Store} Store */

/**
 * Sends files; on success the question uses them, on refusal everything stays as it was.
 * @param {Store} store
 * @param {File[]} files
 * @param {number} heads
 */
async function send(store, files, heads) {
  if (files.length === 0) return;
  store.set({ uploading: true, uploadProblem: null }, { silent: true });
  try {
    const found = await upload(files, heads);
    const { question } = store.get();
    const model = { source: "uploaded", id: found.id };
    store.set({ upload: found, uploading: false, question: { ...question, model } });
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
    const { question, drafts } = store.get();
    if (question.model.source !== "uploaded") {
      const kept = { ...drafts, [question.model.source]: question.model };
      store.set({ drafts: kept, question: { ...question, model: { source: "uploaded", id: "" } } });
    }
    const heads = document.querySelector("#upload-heads");
    send(
      store,
      [...(event.dataTransfer?.files ?? [])],
      heads instanceof HTMLInputElement ? Number(heads.value) : 1,
    );
  });
}

/**
 * @param {Store} store
 * @returns {import("./fields.js").Field}
 */
export function uploadField(store) {
  const { t, page } = store;
  const heads = h("input", {
    id: "upload-heads",
    type: "number",
    min: 1,
    max: page.limits.max_heads,
    value: 1,
  });
  const input = h("input", {
    type: "file",
    multiple: true,
    accept: ".safetensors,.npz,.json",
    class: "hidden",
    "aria-label": t("upload.choose"),
  });
  const button = h(
    "button",
    { type: "button", class: "button", onclick: () => input.click() },
    t("upload.choose"),
  );
  const found = h("span", { class: "found", role: "status" });
  const error = h("span", { class: "error", role: "alert" });
  input.addEventListener("change", async () => {
    await send(store, [...(input.files ?? [])], Number(heads.value) || 1);
    input.value = "";
  });
  const { id } = store.get().question.model;
  if (id && store.get().upload?.id !== id) recall(store, id);
  return {
    root: h(
      "div",
      { class: "fields" },
      h(
        "label",
        { class: "field", title: t("hint.upload_heads") },
        h("span", {}, t("field.num_heads")),
        heads,
      ),
      h("div", { class: "field" }, h("span", {}, t("upload.file")), button, input, found, error),
    ),
    update(state) {
      fill(found, status(store, state));
      error.textContent = refusal(store, state);
      button.disabled = state.uploading;
    },
  };
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
