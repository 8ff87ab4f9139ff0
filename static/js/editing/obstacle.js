/** Says why numbers cannot be changed, with a button that makes them editable. */

import { setQuestion } from "../core/question-changes.js";
import { edit } from "./apply-edit.js";
import { withOneText, explicitOf, isParameter, obstacleOf, onePlainLayer, raggedX } from "./edits.js";
import { parametersOf } from "../core/layer-parameters.js";
import { h } from "../lib/dom.js";

/** @param {import("./apply-edit.js").Bench} bench @param {string} tensor */
export function obstacle(bench, tensor) {
  const { store, answered } = bench;
  const { t, page } = store;
  const { question, view } = store.get();
  const answer = answered.of(question);
  if (!answer) return null;
  const ragged = raggedX(answer.reply) ? "ragged" : null;
  const why = isParameter(tensor) ? obstacleOf(question, answer, page.limits) : ragged;
  if (!why) return null;
  const takeLayer = () =>
    edit(bench, async () => {
      const parameters = await parametersOf(store.get(), view.layer);
      return store.get().question === question ? explicitOf(page, question, answer, parameters, view.layer) : null;
    });
  /** @type {Record<string, [string, () => void]>} */
  const ways = {
    plain: [t("change.make_plain"), () => setQuestion(store, onePlainLayer(question))],
    layer: [t("change.take_layer", { layer: view.layer }), takeLayer],
    ragged: [t("change.take_sentence"), () => setQuestion(store, withOneText(question, answer, view.batch))],
  };
  const own = question.model.source === "seeded" ? "plain" : ragged ? "ragged" : "layer";
  const way = why === "large" ? null : ways[why === "ragged" ? "ragged" : own];
  const button = way && h("button", { type: "button", class: "button", onclick: way[1] }, way[0]);
  return h("span", { class: "obstacle" }, t(`change.cannot.${why}`), " ", button);
}
