/** What the server of this checkout sent: see tests/js/__main__.py. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Answer } from "../../../static/js/core/answer.js";
import { asQuestion } from "../../../static/js/core/question.js";

/** @param {string} file */
function read(file) {
  const folder = process.env.ATTNSCOPE_SENT;
  if (!folder) throw new Error("run by `python -m tests.js FILE`: the data of the page are missing");
  return readFileSync(join(folder, file));
}

/** The data of the page in English. */
export const page = JSON.parse(read("page.json").toString());

/** A question that was asked, as the page holds it. @param {string} name in QUESTIONS of tests/js/__main__.py */
export const question = (name) => asQuestion(page, JSON.parse(read(`${name}.json`).toString()));

/** How the first cell of every stage of it was made, layer by layer. @param {string} name @returns {Record<string, any>[]} */
export const cells = (name) => JSON.parse(read(`${name}.cells.json`).toString());

/** Ids of models and traces of questions by their kind: see tests/js/kinds.py. @type {Record<string, string>} */
export const kinds = JSON.parse(read("kinds.json").toString());

/** The bytes of its reply. @param {string} name */
export function bytes(name) {
  const { buffer, byteOffset, byteLength } = read(`${name}.safetensors`);
  return buffer.slice(byteOffset, byteOffset + byteLength);
}

/** The answer to it, new each time. @param {string} name @param {number[] | null} [heads] */
export const answer = (name, heads = null) => new Answer(bytes(name), heads);
