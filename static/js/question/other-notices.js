import { openQuestion } from "../core/question-changes.js";
import { outageOf } from "../core/retrying.js";
import { asksHeadCount, needsHeadCount } from "../core/state.js";
import { h } from "../lib/dom.js";
import { refusal } from "./refusal.js";
import { refusedText } from "./text-file.js";

const SHOWN = 40; // characters; longer texts are cut

/** @param {Store} store @param {State} state */
function missingMessages(store, state) {
  const { t, page } = store;
  if (state.status === "empty") {
    const suggest = () => openQuestion(store, { text: page.defaults.text });
    const button = h("button", { class: "button", onclick: suggest }, t("empty.suggest"));
    return [...titled(t("empty.title"), t("empty.about")), button];
  }
  if (state.status !== "no_upload") return [];
  if (!asksHeadCount(state)) return titled(t("no_upload.title"), t("no_upload.about"));
  return state.answer ? [] : titled(t("no_upload.heads_title"), t("no_upload.heads_about"));
}

/** @param {string} title @param {string} about */
const titled = (title, about) => [h("strong", {}, title), h("span", {}, about)];

/** @param {Store} store @param {State} state */
export function fileMessages(store, { question, uploading, uploadProblem }) {
  if (question.model.source === "uploaded" || needsHeadCount(uploadProblem)) return [];
  return uploading ? [h("span", { class: "muted" }, store.t("upload.sending"))] : refusal(store);
}

/** @param {Store} store @param {State} state */
export const otherMessages = (store, state) => [
  ...missingMessages(store, state),
  ...unchangedWords(store, state),
  ...ignoredWords(store, state),
];

/** @param {Store} store @param {State} state */
function unchangedWords({ t }, state) {
  const { unchanged } = state;
  if (!unchanged || outageOf(state) || refusedText(state)) return []; // a text box shows its refusal
  return [
    h("strong", {}, unchanged.title || t("problem.offline_title")),
    h("span", { class: "error" }, unchanged.message || t("problem.offline")),
  ];
}

/** @param {Store} store @param {State} state */
function ignoredWords({ t }, { ignored }) {
  if (ignored.length === 0) return [];
  const cut = (/** @type {string} */ text) => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
  return [h("span", { class: "ignored muted" }, t("address.ignored", { what: ignored.map(cut).join(", ") }))];
}
