/**
 * Cache of questions too long for an address, which names their trace instead. Until the trace is known (never, if the
 * question is refused or superseded), the name is unique to this tab and the question is in session storage.
 */

import { Memory } from "../../lib/newest.js";

/** @typedef {import("../question.js").Question} Question */

const LONGEST = 30_000; // address with its question
const LONGEST_QUERY = 6_000; // part before the hash; servers refuse long ones

const KEPT = 64; // questions; evicted ones are in session storage or on the server
const STILL = 500; // ms without a keystroke before a very long text is stored

/** @type {Memory<Question>} by name in the address */
const questions = new Memory(KEPT);
/** @type {WeakMap<Question, string>} */
const names = new WeakMap();
const OWN = "new-"; // prefix; a later page of the tab has a later time in ms
let made = 0;
/** The entry to be stored. @type {[string, Question] | null} */
let waiting = null;
let timer = 0;

/** Whether the texts alone are too long for an address. @param {Question} question */
export const isVast = ({ text, context, pair }) => (text + context + pair).length > LONGEST;

/** @param {string} address */
export const isTooLong = (address) => address.length > LONGEST || address.split("#")[0].length > LONGEST_QUERY;

/** A name unused by earlier pages of this tab. */
function ownName() {
  made = Math.max(made + 1, Date.now());
  return OWN + made;
}

/**
 * Write a question to session storage; if it is full, the oldest entries are evicted.
 * @param {string} name @param {Question} question
 */
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
      if (!oldest) return; // larger than the storage
      shelf.removeItem(oldest);
    }
  }
}

/** Store the waiting entry. */
export function layDown() {
  clearTimeout(timer);
  if (waiting) store(...waiting);
  waiting = null;
}

/** @param {string} name */
function fromStorage(name) {
  const text = name.startsWith(OWN) ? storage()?.getItem(name) : null;
  return text ? keepAs(name, JSON.parse(text)) : undefined;
}

/** Session storage; null if the browser denies it. */
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

/**
 * Keep a question under its trace or a name of this tab.
 * @param {Question} question @param {string} [trace] or another name
 */
export function keep(question, trace) {
  const name = trace ?? nameOfKept(question) ?? ownName();
  keepAs(name, question);
  if (!name.startsWith(OWN)) return name;
  if (waiting?.[0] !== name) layDown();
  clearTimeout(timer);
  waiting = [name, question];
  if (isVast(question)) timer = window.setTimeout(layDown, STILL);
  else layDown();
  return name;
}

/** The tab's name of a question, to be reused in the same history entry. @param {Question} question */
export function ownNameOf(question) {
  const name = nameOfKept(question);
  return name?.startsWith(OWN) ? name : undefined;
}

/** @param {string | null} name */
export const keptAs = (name) => (name === null ? undefined : (questions.get(name) ?? fromStorage(name)));

/** @param {Question} question */
export function nameOfKept(question) {
  const name = names.get(question);
  return name && questions.get(name) === question ? name : undefined; // otherwise the name is taken
}
