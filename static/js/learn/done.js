/** Chapters read and exercises solved or revealed in this browser; no answers. */

import { keep, recalled } from "../lib/kept.js";

const SOLVED = "exercises-solved";
const SHOWN = "exercises-shown";
const READ = "chapters-read"; // names, separated by spaces
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

const chaptersRead = () => names(recalled(READ) ?? "");

/** @param {string} text */
const names = (text) => text.split(" ").filter((name) => CHAPTER.test(name));

/** @param {string} chapter */
export const isRead = (chapter) => chaptersRead().includes(chapter);

/** @param {string} chapter @param {boolean} [read] */
export function noteRead(chapter, read = true) {
  const others = chaptersRead().filter((name) => name !== chapter);
  keep(READ, (read ? [...others, chapter] : others).slice(-MOST).join(" "));
}

export const progressText = () =>
  JSON.stringify({
    format: FORMAT,
    read: recalled(READ) ?? "",
    solved: recalled(SOLVED) ?? "",
    shown: recalled(SHOWN) ?? "",
  });

/** False if the text is invalid; nothing changes then. @param {string} text */
export function addProgress(text) {
  const found = parsed(text);
  if (!found) return false;
  for (const [kept, added] of [
    [SOLVED, found.solved],
    [SHOWN, found.shown],
  ])
    for (const [chapter, places] of split(added)) for (const place of places) note(kept, chapter, place);
  for (const chapter of names(found.read)) noteRead(chapter);
  return true;
}

/** @param {string} text @returns {{read: string, solved: string, shown: string} | null} */
function parsed(text) {
  try {
    const { format, read = "", solved, shown } = JSON.parse(text); // older files name no chapters
    const texts = [read, solved, shown].every((each) => typeof each === "string");
    return format === FORMAT && texts ? { read, solved, shown } : null;
  } catch {
    return null;
  }
}

export const anySolved = () => [...read(SOLVED).values()].some((places) => places.length > 0);

/** A revealed answer must not become a solved exercise. */
export const forgetSolved = () => keep(SOLVED, "");
