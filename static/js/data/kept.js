/** Questions too long for an address: it names their trace, and they are kept here. */

/** @typedef {import("./question.js").Question} Question */

const LONGEST = 30_000; // characters of an address that carries its question
const LONGEST_QUERY = 6_000; // of its part that servers read, and refuse where it is long

/** @type {Map<string, Question>} by what the address says */
const questions = new Map();
/** @type {WeakMap<Question, string>} */
const names = new WeakMap();
let made = 0; // names of this page's own, until the trace is known

/** @param {string} address that carries its question */
export const isTooLong = (address) =>
  address.length > LONGEST || address.split("#")[0].length > LONGEST_QUERY;

/**
 * Keeps a question under its trace, or under a name of this page's own until it is known.
 * @param {Question} question
 * @param {string} [trace]
 */
export function keep(question, trace) {
  const name = trace ?? names.get(question) ?? `new-${++made}`;
  questions.set(name, question);
  names.set(question, name);
  return name;
}

/** @param {string | null} name */
export const keptAs = (name) => (name === null ? undefined : questions.get(name));

/** @param {Question} question */
export const nameOfKept = (question) => names.get(question);
