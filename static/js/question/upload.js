import { Problem, call } from "../core/api.js";
import { NO_READING, asksHeadCount } from "../core/state.js";
import { closeOutside } from "../lib/close-outside.js";
import { fill, h } from "../lib/dom.js";
import { closeButton, namesOf, refusal } from "./refusal.js";
import { deleteUpload, send } from "./upload-request.js";
import { revealField } from "./repairs.js";

const NATIVE_NAMES = /^(layers\.\d+\.)?[wb]_[qkvo]$|^embedding$/; // names that need no mapping
let made = 0;

/** Two presses: others may use the upload. @param {Store} store @param {() => void} then */
function deleteButton(store, then) {
  const { t } = store;
  const button = h("button", { type: "button", class: "button", title: t("upload.delete_about") }, t("upload.delete"));
  button.addEventListener("click", async () => {
    button.focus(); // Safari's press gives none
    if (button.textContent === t("upload.delete")) return fill(button, t("upload.delete_sure"));
    await deleteUpload(store);
    then();
  });
  button.addEventListener("blur", () => fill(button, t("upload.delete")));
  return button;
}

/** @param {Store} store @returns {import("./fields.js").Field} */
export function uploadField(store) {
  const { t } = store;
  const accept = ".safetensors,.npz,.npy,.json";
  const input = h("input", { type: "file", multiple: true, accept, class: "hidden", "aria-label": t("upload.choose") });
  const button = h("button", { type: "button", class: "button", onclick: () => input.click() }, t("upload.choose"));
  const found = h("span", { class: "found", role: "status" });
  const refusal = h("p", { class: "refusal", role: "alert", id: `upload-refusal-${made++}` });
  const notes = h("p", { class: "notes", role: "status" });
  const heads = headsField(store, refusal.id);
  const remove = deleteButton(store, () => button.focus());
  const parts = [button, input, mappingMenu(store), found, remove];
  const file = h("div", { class: "field" }, h("span", {}, t("upload.file")), parts);
  input.addEventListener("change", async () => {
    await send(store, [...(input.files ?? [])]);
    input.value = "";
  });
  const { id } = store.get().question.model;
  if (id && store.get().upload?.id !== id) recall(store, id);
  let said = "";
  return {
    root: h("div", { class: "fields" }, heads.root, file, refusal, notes),
    update(state) {
      heads.update(state);
      fill(found, status(store, state));
      notes.textContent = newNotes(state).join(store.t("text.between"));
      const words = refusalParts(store, state);
      const text = words.map((word) => word.textContent).join("\n");
      if (text !== said) fill(refusal, words);
      said = text;
      button.disabled = state.uploading;
      remove.hidden = state.uploading || !usedOf(state);
    },
  };
}

/** @param {State} state */
function newNotes(state) {
  const said = (state.answer?.reply.notes ?? []).map(({ code }) => code);
  return (usedOf(state)?.notes ?? []).filter(({ code }) => !said.includes(code)).map(({ message }) => message);
}

/** @param {State} state */
const usedOf = ({ upload, question }) => (upload?.id === question.model.id ? upload : null);

/** @param {Store} store @param {string} describedBy @returns {import("./fields.js").Field} */
function headsField(store, describedBy) {
  const { t, page } = store;
  const input = h("input", { type: "number", min: 1, max: page.limits.max_heads, "aria-describedby": describedBy });
  const root = h("div", { class: "field" }, h("label", {}, h("span", {}, t("field.num_heads")), input));
  bindReading(store, input, (heads) => ({ heads }));
  /** @type {Problem | null} */
  let asked = null;
  return {
    root,
    update(state) {
      const { uploading, uploadProblem, files, reading } = state;
      const used = usedOf(state);
      const asks = asksHeadCount(state);
      const shown = reading.heads ?? (asks || uploading || !used ? "" : String(used.shape.num_heads));
      if (input.value !== shown) input.value = shown;
      input.readOnly = uploading || (used !== null && files.length === 0);
      input.title = t(input.readOnly && used ? "upload.reload" : "hint.upload_heads");
      input.toggleAttribute("aria-invalid", asks);
      if (asks && asked !== uploadProblem) revealField(root);
      asked = uploadProblem;
    },
  };
}

/**
 * Sends the files again after a change.
 * @param {Store} store @param {HTMLInputElement | HTMLTextAreaElement} control
 * @param {(typed: string) => Partial<State["reading"]>} said
 */
function bindReading(store, control, said) {
  control.addEventListener("input", () => {
    store.set({ reading: { ...store.get().reading, ...said(control.value) } }, { silent: true });
  });
  control.addEventListener("change", () => send(store, store.get().files));
}

/** @param {Store} store */
function mappingMenu(store) {
  const { t } = store;
  const placeholder = '{"w_q": {"tensor": "attn.query.weight", "transpose": true}}';
  const box = h("textarea", { rows: 4, spellcheck: "false", placeholder });
  box.setAttribute("aria-label", t("upload.mapping"));
  box.value = store.get().reading.mapping;
  bindReading(store, box, (mapping) => ({ mapping }));
  const about = h("p", { class: "muted" }, t("upload.mapping_about"));
  const panel = h("div", { class: "panel" }, about, box);
  const root = h("details", { class: "menu mapping" }, h("summary", {}, t("upload.mapping")), panel);
  closeOutside(root);
  return root;
}

/** @param {Store} store @param {string} id */
async function recall(store, id) {
  try {
    store.set({ upload: await (await call(`/api/v1/models/${encodeURIComponent(id)}`)).json() }, { silent: true });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { uploading, files } = store.get();
    store.set({ uploadProblem: error, files: uploading ? files : [] }, { silent: true }); // the error concerns the model
  }
}

/** @param {Store} store @param {State} state */
function refusalParts(store, state) {
  const { t } = store;
  const { uploading, uploadProblem, files, answer } = state;
  if (uploading || !uploadProblem) return [];
  if (!asksHeadCount(state)) return refusal(store);
  const used = usedOf(state);
  const shown = used ? t("upload.still", { name: used.name }) : answer ? t("upload.before") : "";
  return [
    h("b", {}, namesOf(files)),
    h("span", { class: "error" }, uploadProblem.message),
    h("span", { class: "muted" }, shown),
    closeButton(store, { files: [], reading: NO_READING }),
  ];
}

/** @param {Store} store @param {State} state */
function status({ t }, state) {
  if (state.uploading) return t("upload.sending");
  const found = usedOf(state);
  if (!found) return asksHeadCount(state) ? "" : t("upload.hint");
  const { name, layout, shape } = found;
  const { num_heads: heads, d_model, num_layers: layers = 1 } = shape;
  const recognised = t("upload.recognised", { layout, heads, d_model, layers });
  const { embedding, w_o } = missingTensors(found);
  const missing = [embedding && t("upload.no_embedding"), w_o && t("upload.no_w_o")];
  return [h("b", {}, name), " ", [recognised, ...missing].filter(Boolean).join(" · ")];
}

/**
 * W_O counts as missing only if a complete list of native names lacks it.
 * @param {Pick<Upload, "has_embedding" | "tensors" | "num_tensors">} upload
 */
export function missingTensors({ has_embedding, tensors, num_tensors }) {
  const names = tensors.map(({ name }) => name);
  return {
    embedding: !has_embedding,
    w_o:
      num_tensors === undefined &&
      names.every((name) => NATIVE_NAMES.test(name)) &&
      !names.some((name) => name.endsWith("w_o")),
  };
}
