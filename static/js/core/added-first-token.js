import { encodes, wholeOf } from "./answer.js";

/** Empty unless the tokenizer added the first key. @param {Store["t"]} t @param {State} state @param {number} layer */
export function addedFirstNote(t, { answer, view: { batch } }, layer) {
  const reply = answer && wholeOf(answer.reply);
  if (!reply?.tokens || !reply.added?.[batch][0] || encodes(reply, layer)) return "";
  const { attends_to, context_lengths, tokens } = reply;
  const ofContext = attends_to ? attends_to[layer] === "context" : context_lengths;
  return ofContext ? "" : t("heads.first_added", { token: tokens[batch][0] ?? "" });
}

/** @param {Store["t"]} t @param {State} state @param {number} layer @param {string} about */
export function withFirstNote(t, state, layer, about) {
  const said = about.includes(t("metric.about.first")) ? addedFirstNote(t, state, layer) : "";
  return !said || about.endsWith(said) ? about : `${about}\n${said}`;
}
