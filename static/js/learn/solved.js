/** Stores read chapters, solved exercises and revealed answers in this browser. */

import { BY_PLACE } from "./exercise-places.js";
import { save, readText } from "../lib/local-storage.js";

const SOLVED = "exercises-solved";
const SHOWN = "exercises-shown";
const READ = "chapters-read"; // names, separated by spaces
const MOST = 400; // exercises of a chapter; older ones are dropped
const FORMAT = "attnscope progress 2";
const FORMATS = [FORMAT, "attnscope progress 1"];
const CHAPTER = /^\w{1,40}$/;
const ONE = /^(\d{1,9})\.(\w{1,40})$/; // seed and name of an exercise

/** Parses "scores 0.one_score 7.which_key;softmax 0.one_weight". @param {string} text */
function split(text) {
  const chapters = text.split(";").map((line) => line.split(" "));
  const named = chapters.filter(([chapter]) => CHAPTER.test(chapter));
  return new Map(named.map(([chapter, ...each]) => [chapter, each.flatMap((one) => byName(chapter, one))]));
}

/** Names an exercise saved by place before 0.3. Empty if invalid. @param {string} chapter @param {string} one */
function byName(chapter, one) {
  const [, seed, name] = ONE.exec(one) ?? [];
  if (!name) return [];
  if (!/^\d/.test(name)) return [one];
  const was = BY_PLACE.get(chapter)?.split(" ")[Number(name)];
  return was && was !== "-" ? [`${seed}.${was}`] : [];
}

/** @param {string} key */
const stored = (key) => split(readText(key) ?? "");

/** @param {string} key @param {string} chapter */
const solvedIn = (key, chapter) => stored(key).get(chapter) ?? [];

/** @param {string} key @param {string} chapter @param {string} one */
function note(key, chapter, one) {
  const all = [...solvedIn(key, chapter).filter((each) => each !== one), one].slice(-MOST);
  const lines = [...stored(key).set(chapter, all)].filter(([, each]) => each.length);
  save(key, lines.map(([name, each]) => [name, ...each].join(" ")).join(";"));
}

/** @param {string} chapter @param {number} seed @param {string} name */
export const isSolved = (chapter, seed, name) => solvedIn(SOLVED, chapter).includes(`${seed}.${name}`);

/** Counts exercises solved under any seed. @param {string} chapter @param {string[]} exercises */
export function countSolved(chapter, exercises) {
  const solved = new Set(solvedIn(SOLVED, chapter).map((one) => one.split(".")[1]));
  return exercises.filter((name) => solved.has(name)).length;
}

/** @param {string} chapter @param {string[]} exercises */
export const isFinished = (chapter, exercises) =>
  exercises.length > 0 && countSolved(chapter, exercises) === exercises.length;

/** @param {string} chapter @param {number} seed @param {string} name */
export const noteSolved = (chapter, seed, name) => note(SOLVED, chapter, `${seed}.${name}`);

/** @param {string} chapter @param {number} seed @param {string} name */
export const wasShown = (chapter, seed, name) => solvedIn(SHOWN, chapter).includes(`${seed}.${name}`);

/** @param {string} chapter @param {number} seed @param {string} name */
export const noteShown = (chapter, seed, name) => note(SHOWN, chapter, `${seed}.${name}`);

const chaptersRead = () => names(readText(READ) ?? "");

/** @param {string} text */
const names = (text) => text.split(" ").filter((name) => CHAPTER.test(name));

/** @param {string} chapter */
export const isRead = (chapter) => chaptersRead().includes(chapter);

/** @param {string} chapter @param {boolean} [read] */
export function noteRead(chapter, read = true) {
  const others = chaptersRead().filter((name) => name !== chapter);
  save(READ, (read ? [...others, chapter] : others).slice(-MOST).join(" "));
}

export const progressText = () =>
  JSON.stringify({
    format: FORMAT,
    read: readText(READ) ?? "",
    solved: readText(SOLVED) ?? "",
    shown: readText(SHOWN) ?? "",
  });

/** Returns false and adds nothing if the text is invalid. @param {string} text */
export function addProgress(text) {
  const found = parsed(text);
  if (!found) return false;
  for (const [key, added] of Object.entries({ [SOLVED]: found.solved, [SHOWN]: found.shown }))
    for (const [chapter, all] of split(added)) for (const one of all) note(key, chapter, one);
  for (const chapter of names(found.read)) noteRead(chapter);
  return true;
}

/** @param {string} text @returns {{read: string, solved: string, shown: string} | null} */
function parsed(text) {
  try {
    const { format, read = "", solved, shown } = JSON.parse(text); // older files lack `read`
    const texts = [read, solved, shown].every((each) => typeof each === "string");
    return FORMATS.includes(format) && texts ? { read, solved, shown } : null;
  } catch {
    return null;
  }
}

export const anySolved = () => [...stored(SOLVED).values()].some((all) => all.length > 0);

/** Revealed answers stay stored, so that they never count as solved. */
export const forgetSolved = () => save(SOLVED, "");
