/** The address of a long question has its trace id, or a key of session storage until the answer arrives. */

import { Lru } from "../../lib/newest.js";

const LONGEST = 30_000; // characters
const LONGEST_QUERY = 6_000; // servers refuse longer ones
const KEPT = 64; // questions in memory
const STILL = 500; // ms without a keystroke before the question is stored

/** @type {Lru<Question>} by name */
const questions = new Lru(KEPT);
/** @type {WeakMap<Question, string>} */
const names = new WeakMap();
const OWN = "new-"; // prefix of session storage keys; milliseconds follow
let made = 0;
/** @type {[string, Question] | null} */
let waiting = null;
let timer = 0;

/** @param {Question} question */
export const isVast = ({ text, context, pair }) => (text + context + pair).length > LONGEST;

/** @param {string} address */
export const isTooLong = (address) => address.length > LONGEST || address.split("#")[0].length > LONGEST_QUERY;

function makeName() {
  made = Math.max(made + 1, Date.now());
  return OWN + made;
}

/** Deletes the oldest questions if storage is full. @param {string} name @param {Question} question */
function store(name, question) {
  const shelf = storage();
  const text = JSON.stringify(question);
  while (shelf) {
    try {
      return shelf.setItem(name, text);
    } catch {
      const [oldest] = Object.keys(shelf)
        .filter((each) => each.startsWith(OWN))
        .sort();
      if (!oldest) return;
      shelf.removeItem(oldest);
    }
  }
}

export function flush() {
  clearTimeout(timer);
  if (waiting) store(...waiting);
  waiting = null;
}

/** @param {string} name */
function fromStorage(name) {
  const text = name.startsWith(OWN) ? storage()?.getItem(name) : null;
  return text ? keepAs(name, JSON.parse(text)) : undefined;
}

/** Null if the browser denies access. */
function storage() {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

/** @param {string} name @param {Question} question */
function keepAs(name, question) {
  questions.set(name, question);
  names.set(question, name);
  return question;
}

/** @param {Question} question @param {string} [trace] its trace or another name */
export function keep(question, trace) {
  const name = trace ?? keptName(question) ?? makeName();
  keepAs(name, question);
  if (!name.startsWith(OWN)) return name;
  if (waiting?.[0] !== name) flush();
  clearTimeout(timer);
  waiting = [name, question];
  if (isVast(question)) timer = window.setTimeout(flush, STILL);
  else flush();
  return name;
}

/** @param {Question} question */
export function ownNameOf(question) {
  const name = keptName(question);
  return name?.startsWith(OWN) ? name : undefined;
}

/** @param {string | null} name */
export const findKept = (name) => (name === null ? undefined : (questions.get(name) ?? fromStorage(name)));

/** @param {Question} question */
export function keptName(question) {
  const name = names.get(question);
  return name && questions.get(name) === question ? name : undefined; // another question may have the name by now
}
