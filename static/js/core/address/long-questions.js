/**
 * Questions too long for an address: it names their trace, and they are kept here. Until the trace is
 * known, which it never is where the question is refused or overtaken, the name is one of this tab's
 * own, and the question is in session storage, so that reload and history find it.
 */

import { Memory } from "../../lib/newest.js";

/** @typedef {import("../question.js").Question} Question */

const LONGEST = 30_000; // characters of an address that carries its question
const LONGEST_QUERY = 6_000; // of its part before the hash, which servers refuse if it is long

const KEPT = 64; // questions; evicted ones are in session storage, or on the server
const STILL = 500; // ms without a keystroke, before a very long text is stored

/** @type {Memory<Question>} by name in the address */
const questions = new Memory(KEPT);
/** @type {WeakMap<Question, string>} */
const names = new WeakMap();
const OWN = "new-"; // before a time in milliseconds, later in every page of the tab
let made = 0;
/** The entry that waits to be stored. @type {[string, Question] | null} */
let waiting = null;
let timer = 0;

/** Whether a text alone is too long for an address. @param {Question} question */
export const isVast = ({ text, context, pair }) => (text + context + pair).length > LONGEST;

/** @param {string} address that carries its question */
export const isTooLong = (address) => address.length > LONGEST || address.split("#")[0].length > LONGEST_QUERY;

/** A name that no earlier page of this tab has given. */
function ownName() {
  made = Math.max(made + 1, Date.now());
  return OWN + made;
}

/**
 * Lays a question into the tab's storage; where that is full, the oldest goes first.
 * @param {string} name
 * @param {Question} question
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
      if (!oldest) return; // not even this one finds room
      shelf.removeItem(oldest);
    }
  }
}

/** Lays into the storage what waits for it. */
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

/** The tab's storage; null where the reader has forbidden it. */
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
 * Keeps a question under its trace, or under a name of this tab's own until it is known.
 * @param {Question} question
 * @param {string} [trace] or another name that it is to have
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

/** A name of the tab's own, which a question in the same step of the history takes over. @param {Question} question */
export function ownNameOf(question) {
  const name = nameOfKept(question);
  return name?.startsWith(OWN) ? name : undefined;
}

/** @param {string | null} name */
export const keptAs = (name) => (name === null ? undefined : (questions.get(name) ?? fromStorage(name)));

/** @param {Question} question */
export function nameOfKept(question) {
  const name = names.get(question);
  return name && questions.get(name) === question ? name : undefined; // else another has it now
}
