/** Exercises solved or revealed in this browser; no answers. */

import { keep, recalled } from "../lib/kept.js";

const SOLVED = "exercises-solved";
const SHOWN = "exercises-shown";
const MOST = 400; // of a chapter; the oldest are dropped
const FORMAT = "attnscope progress 1";
const CHAPTER = /^\w{1,40}$/;
const ONE = /^\d{1,9}\.\d{1,2}$/; // seed and place

/** "scores 0.0 0.1 7.2;softmax 0.3" @param {string} text @returns {Map<string, string[]>} */
function split(text) {
  const chapters = text.split(";").map((line) => line.split(" "));
  const named = chapters.filter(([chapter]) => CHAPTER.test(chapter));
  return new Map(named.map(([chapter, ...places]) => [chapter, places.filter((place) => ONE.test(place))]));
}

/** @param {string} kept */
const read = (kept) => split(recalled(kept) ?? "");

/** @param {string} kept @param {string} chapter */
const keptOf = (kept, chapter) => read(kept).get(chapter) ?? [];

/** @param {string} kept @param {string} chapter @param {string} place */
function note(kept, chapter, place) {
  const places = [...keptOf(kept, chapter).filter((each) => each !== place), place].slice(-MOST);
  const lines = [...read(kept).set(chapter, places)].filter(([, each]) => each.length);
  keep(kept, lines.map(([name, each]) => [name, ...each].join(" ")).join(";"));
}

/** @param {string} chapter @param {number} seed @param {number} at */
export const isSolved = (chapter, seed, at) => keptOf(SOLVED, chapter).includes(`${seed}.${at}`);

/** @param {string} chapter @param {number} count */
export function isFinished(chapter, count) {
  const places = new Set(keptOf(SOLVED, chapter).map((place) => Number(place.split(".")[1])));
  return count > 0 && Array.from({ length: count }, (_, at) => places.has(at)).every(Boolean);
}

/** @param {string} chapter @param {number} seed @param {number} at */
export const noteSolved = (chapter, seed, at) => note(SOLVED, chapter, `${seed}.${at}`);

/** @param {string} chapter @param {number} seed @param {number} at */
export const wasShown = (chapter, seed, at) => keptOf(SHOWN, chapter).includes(`${seed}.${at}`);

/** @param {string} chapter @param {number} seed @param {number} at */
export const noteShown = (chapter, seed, at) => note(SHOWN, chapter, `${seed}.${at}`);

export const countSolved = () =>
  [...read(SOLVED).values()].reduce((sum, all) => sum + new Set(all.map((place) => place.split(".")[1])).size, 0);

export const progressText = () =>
  JSON.stringify({ format: FORMAT, solved: recalled(SOLVED) ?? "", shown: recalled(SHOWN) ?? "" });

/** False if the text is invalid; nothing changes then. @param {string} text */
export function addProgress(text) {
  const found = parsed(text);
  if (!found) return false;
  for (const [kept, added] of [
    [SOLVED, found.solved],
    [SHOWN, found.shown],
  ])
    for (const [chapter, places] of split(added)) for (const place of places) note(kept, chapter, place);
  return true;
}

/** @param {string} text @returns {{solved: string, shown: string} | null} */
function parsed(text) {
  try {
    const { format, solved, shown } = JSON.parse(text);
    return format === FORMAT && typeof solved === "string" && typeof shown === "string" ? { solved, shown } : null;
  } catch {
    return null;
  }
}

export const anySolved = () => [...read(SOLVED).values()].some((places) => places.length > 0);

/** A revealed answer must not become a solved exercise. */
export const forgetSolved = () => keep(SOLVED, "");
