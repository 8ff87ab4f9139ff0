import { stageOf } from "./page.js";
import { bodyOf, numbersIn } from "./question.js";

const MOST = 16_000_000; // most numbers that one request asks for

/** @param {State} state @param {Page} page */
export function headScope({ answer }, page) {
  if (!answer) return "head";
  const { shape } = answer.reply;
  const maps = numbersIn([stageOf(page, "weights")], shape);
  return maps <= MOST ? "all" : maps / shape.num_layers <= MOST ? "layer" : "head";
}

/** Float32 unless the question or a capture sets `dtype`. @param {State} state @param {"all" | "layer"} far */
export function requestOf({ question, view }, far) {
  const part = far === "layer" ? { layers: [view.layer] } : {};
  return { dtype: "float32", ...bodyOf(question), ...part, stages: ["weights"] };
}
