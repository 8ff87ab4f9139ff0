/**
 * Questions too long for an address: it names their trace, and they are kept here. Until the trace is
 * known, which it never is where the question is refused or overtaken, the name is one of this tab's
 * own, and the question lies in the tab's storage, so that a reload and the history find it.
 */

/** @typedef {import("../question.js").Question} Question */

const LONGEST = 30_000; // characters of an address that carries its question
const LONGEST_QUERY = 6_000; // of its part that servers read, and refuse where it is long

/** @type {Map<string, Question>} by what the address says */
const questions = new Map();
/** @type {WeakMap<Question, string>} */
const names = new WeakMap();
const OWN = "new-"; // before a time in milliseconds, later in every page of the tab
let made = 0;

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
 * @param {string} [trace]
 */
export function keep(question, trace) {
  const name = trace ?? names.get(question) ?? ownName();
  keepAs(name, question);
  if (name.startsWith(OWN)) store(name, question);
  return name;
}

/** @param {string | null} name */
export const keptAs = (name) => (name === null ? undefined : (questions.get(name) ?? fromStorage(name)));

/** @param {Question} question */
export const nameOfKept = (question) => names.get(question);
