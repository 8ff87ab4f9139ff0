import { Problem, call } from "../core/api.js";
import { defaultModel } from "../core/question.js";
import { checkReadable } from "../core/send-form.js";
import { NO_READING, needsHeadCount } from "../core/state.js";

/** @type {(store: Store, files: File[]) => Promise<boolean>} */
let handleOtherFiles = async () => false;

/** @param {typeof handleOtherFiles} taken resolves to true if it took the files */
export const setFileHandler = (taken) => void (handleOtherFiles = taken);

/**
 * Refused files do not change the question. If only the number of heads is missing, selects uploaded weights, whose
 * field asks for that number. A model chosen meanwhile stays.
 * @param {Store} store @param {File[]} files
 */
export async function send(store, files) {
  if (files.length === 0) return;
  const reading = readingOf(store.get(), files);
  const { model } = store.get().question;
  const stays = () => JSON.stringify(store.get().question.model) === JSON.stringify(model);
  try {
    await checkReadable(files, store.t);
  } catch (error) {
    const uploadProblem = /** @type {Problem} */ (error);
    return store.set({ files, reading, uploading: false, uploadProblem }, { silent: true });
  }
  if (await handleOtherFiles(store, files)) return;
  store.set({ files, reading, uploading: true, uploadProblem: null }, { silent: true });
  try {
    const found = await upload(files, reading.heads ?? "", reading.mapping);
    if (store.get().files !== files) return;
    if (stays()) selectUpload(store, found.id, { upload: found, uploading: false });
    else store.set({ drafts: { ...store.get().drafts, uploaded: modelOf(store, found.id) }, uploading: false });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (store.get().files !== files) return;
    const problem = { uploadProblem: error, uploading: false };
    if (needsHeadCount(error) && stays() && model.source !== "uploaded") selectUpload(store, "");
    store.set(problem, { silent: true });
  }
}

/** New files discard the heads typed for the model in use. @param {State} state @param {File[]} files */
function readingOf({ files: before, reading, upload: used, question }, files) {
  const others = before.length > 0 && before !== files && used?.id === question.model.id;
  return others ? { ...reading, heads: null } : reading;
}

/** @param {Store} store @param {File[]} files */
export function sendDropped(store, files) {
  if (store.get().question.model.source !== "uploaded") store.set({ reading: NO_READING }, { silent: true });
  return send(store, files);
}

/**
 * Selects an uploaded model; the previous model becomes a draft.
 * @param {Store} store @param {string} id "" before the upload @param {Partial<State>} [more]
 */
function selectUpload(store, id, more) {
  const { question, drafts } = store.get();
  const kept = { ...drafts, [question.model.source]: question.model };
  store.set({ ...more, drafts: kept, question: { ...question, model: modelOf(store, id) } });
}

/** Also deselects one that is gone. @param {Store} store */
export async function deleteUpload(store) {
  const { id } = store.get().question.model;
  const address = `/api/v1/models/${encodeURIComponent(id)}`;
  const problem = await call(address, { method: "DELETE" }).then(() => null, failure);
  if (problem && problem.status !== 404) return store.set({ uploadProblem: problem }, { silent: true });
  const { question, drafts } = store.get();
  const none = modelOf(store, "");
  const cleared = { upload: null, uploadProblem: null, files: [], reading: NO_READING };
  if (question.model.id === id) store.set({ ...cleared, question: { ...question, model: none } });
  else if (drafts.uploaded?.id === id) store.set({ drafts: { ...drafts, uploaded: none } }, { silent: true });
}

/** @param {unknown} error @returns {Problem} */
function failure(error) {
  if (error instanceof Problem) return error;
  throw error;
}

/** @param {Store} store @param {string} id */
const modelOf = ({ page }, id) => ({ ...defaultModel(page, "uploaded"), id });

/**
 * @param {File[]} files @param {string} heads if blank, the file has the number
 * @param {string} mapping JSON from our tensor names to those of the files; if blank, the server matches names
 */
async function upload(files, heads, mapping) {
  const form = new FormData();
  for (const file of files) form.append("weights", file);
  form.append("num_heads", heads.trim() || "file");
  form.append("name", files[0].name);
  if (mapping.trim()) form.append("mapping", mapping);
  return (await call("/api/v1/models", { method: "POST", body: form })).json();
}
