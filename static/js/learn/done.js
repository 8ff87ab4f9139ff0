/** Which exercises were solved in this browser: only chapter, seed and index, no answers. */

import { keep, recalled } from "../lib/kept.js";

const KEPT = "exercises-solved";
const MOST = 400; // of a chapter; those solved longest ago are forgotten first
const ONE = /^\d{1,9}\.\d{1,2}$/; // seed and place

/** Those that are kept, by chapter, as `seed.place`: "scores 0.0 0.1 7.2;softmax 0.3". @returns {Map<string, string[]>} */
function solved() {
  const chapters = (recalled(KEPT) ?? "").split(";").map((line) => line.split(" "));
  return new Map(chapters.map(([chapter, ...places]) => [chapter, places.filter((place) => ONE.test(place))]));
}

/** @param {string} chapter */
const solvedIn = (chapter) => solved().get(chapter) ?? [];

/** @param {string} chapter @param {number} seed @param {number} at */
export const isSolved = (chapter, seed, at) => solvedIn(chapter).includes(`${seed}.${at}`);

/** Whether each of a chapter's exercises was solved, under whatever seed. @param {string} chapter @param {number} count */
export function isFinished(chapter, count) {
  const places = new Set(solvedIn(chapter).map((place) => Number(place.split(".")[1])));
  return count > 0 && Array.from({ length: count }, (_, at) => places.has(at)).every(Boolean);
}

/** @param {string} chapter @param {number} seed @param {number} at */
export function noteSolved(chapter, seed, at) {
  const place = `${seed}.${at}`;
  const places = [...solvedIn(chapter).filter((each) => each !== place), place].slice(-MOST);
  const lines = [...solved().set(chapter, places)].filter(([, each]) => each.length);
  keep(KEPT, lines.map(([name, each]) => [name, ...each].join(" ")).join(";"));
}

/** Whether anything was solved. */
export const anySolved = () => [...solved().values()].some((places) => places.length > 0);

export const forgetSolved = () => keep(KEPT, "");
