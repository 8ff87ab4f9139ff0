/** Sends files with the number of heads and the mapping; what is missing is asked for, never guessed. */

import { Problem, call } from "../core/api.js";
import { defaultModel } from "../core/question.js";
import { NOT_SAID, lacksHeads } from "../core/state.js";

/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Store} Store */

/** @type {(store: Store, files: File[]) => Promise<boolean>} */
let elsewhere = async () => false;

/**
 * Files that are no model's go elsewhere.
 * @param {typeof elsewhere} taken whether files are such
 */
export const sendElsewhere = (taken) => void (elsewhere = taken);

/**
 * Sends files as they are to be read; on success the question uses them, on refusal everything stays as it was.
 * Where their number of heads is missing they are kept, and the model is theirs, so that its field is in sight.
 * A model that is chosen while they are on their way is the later choice, and stays.
 * @param {Store} store
 * @param {File[]} files
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
 * How files are to be read: a number of heads is meant for the files it was typed for, not for those after them.
 * @param {State} state
 * @param {File[]} files
 */
function readingOf({ files: before, reading, upload: used, question }, files) {
  const others = before.length > 0 && before !== files && used?.id === question.model.id;
  return others ? { ...reading, heads: null } : reading;
}

/**
 * Files dropped anywhere: settings for earlier files do not apply.
 * @param {Store} store
 * @param {File[]} files
 */
export function sendDropped(store, files) {
  if (store.get().question.model.source !== "uploaded") store.set({ reading: NOT_SAID }, { silent: true });
  return send(store, files);
}

/**
 * Selects the uploaded model of an id; the former one is kept as a draft. "" before the upload.
 * @param {Store} store
 * @param {string} id
 * @param {Partial<State>} [more] what goes with it
 */
function use(store, id, more) {
  const { question, drafts } = store.get();
  const kept = { ...drafts, [question.model.source]: question.model };
  store.set({ ...more, drafts: kept, question: { ...question, model: modelOf(store, id) } });
}

/** @param {Store} store @param {string} id */
const modelOf = ({ page }, id) => ({ ...defaultModel(page, "uploaded"), id });

/**
 * @param {File[]} files
 * @param {string} heads side by side in w_q; blank: the file has to say it
 * @param {string} mapping our names to those of the files, as JSON; blank: they are recognised
 */
async function upload(files, heads, mapping) {
  const form = new FormData();
  for (const file of files) form.append("weights", file);
  form.append("num_heads", heads.trim() || "file");
  form.append("name", files[0].name);
  if (mapping.trim()) form.append("mapping", mapping);
  return (await call("/api/v1/models", { method: "POST", body: form })).json();
}
