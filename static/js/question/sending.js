/** Sends files with number of heads and mapping; missing values are asked for, never guessed. */

import { Problem, call } from "../core/api.js";
import { defaultModel } from "../core/question.js";
import { NOT_SAID, lacksHeads } from "../core/state.js";

/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Store} Store */

/** @type {(store: Store, files: File[]) => Promise<boolean>} */
let elsewhere = async () => false;

/** Files that are not a model's are handled elsewhere. @param {typeof elsewhere} taken whether files are such */
export const sendElsewhere = (taken) => void (elsewhere = taken);

/**
 * Send files; on success the question uses them, on refusal nothing changes. If their number of heads is missing, they
 * are kept and their model is selected, so that its field is visible. A model chosen while they are sent stays
 * selected.
 * @param {Store} store @param {File[]} files
 */
export async function send(store, files) {
  if (files.length === 0) return;
  const reading = readingOf(store.get(), files);
  const { model } = store.get().question;
  const stays = () => JSON.stringify(store.get().question.model) === JSON.stringify(model);
  if (await elsewhere(store, files)) return;
  store.set({ files, reading, uploading: true, uploadProblem: null }, { silent: true });
  try {
    const found = await upload(files, reading.heads ?? "", reading.mapping);
    if (store.get().files !== files) return; // others were sent meanwhile
    if (stays()) use(store, found.id, { upload: found, uploading: false });
    else store.set({ drafts: { ...store.get().drafts, uploaded: modelOf(store, found.id) }, uploading: false });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (store.get().files !== files) return;
    const problem = { uploadProblem: error, uploading: false };
    if (lacksHeads(error) && stays() && model.source !== "uploaded") use(store, "");
    store.set(problem, { silent: true });
  }
}

/**
 * How to read files: a typed number of heads applies only to the files it was typed for.
 * @param {State} state @param {File[]} files
 */
function readingOf({ files: before, reading, upload: used, question }, files) {
  const others = before.length > 0 && before !== files && used?.id === question.model.id;
  return others ? { ...reading, heads: null } : reading;
}

/** Dropped files: settings for earlier files do not apply. @param {Store} store @param {File[]} files */
export function sendDropped(store, files) {
  if (store.get().question.model.source !== "uploaded") store.set({ reading: NOT_SAID }, { silent: true });
  return send(store, files);
}

/**
 * Select an uploaded model; the former one is kept as a draft.
 * @param {Store} store @param {string} id "" before the upload @param {Partial<State>} [more] state to set
 */
function use(store, id, more) {
  const { question, drafts } = store.get();
  const kept = { ...drafts, [question.model.source]: question.model };
  store.set({ ...more, drafts: kept, question: { ...question, model: modelOf(store, id) } });
}

/** @param {Store} store @param {string} id */
const modelOf = ({ page }, id) => ({ ...defaultModel(page, "uploaded"), id });

/**
 * @param {File[]} files @param {string} heads of w_q; blank: given by the file
 * @param {string} mapping our names to the files', as JSON; blank: automatic
 */
async function upload(files, heads, mapping) {
  const form = new FormData();
  for (const file of files) form.append("weights", file);
  form.append("num_heads", heads.trim() || "file");
  form.append("name", files[0].name);
  if (mapping.trim()) form.append("mapping", mapping);
  return (await call("/api/v1/models", { method: "POST", body: form })).json();
}
