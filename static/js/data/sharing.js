/** What is taken away from a question: links to it, and programs that ask it. */

import { DEFAULT_VIEW, readAddress, writeAddress } from "./address.js";
import { Problem, questionOf } from "./api.js";
import { isTooLong, keep } from "./kept.js";
import { headAxis, stageOf } from "./page.js";
import { bodyOf, merged } from "./question.js";

/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./state.js").State} State */

/**
 * The whole state as a link, in the reader's own language.
 * @param {State} state
 * @param {Page} page
 */
export function fullLink({ question, view }, page) {
  return new URL(writeAddress({ question, view }, new URL("/", location.href), page), location.href).href;
}

/**
 * A link that names the question by its trace.
 * @param {State} state
 * @param {string} trace
 * @param {Page} page
 */
export function shortLink({ view }, trace, page) {
  const plain = merged(page, {});
  const url = new URL(writeAddress({ question: plain, view }, new URL("/", location.href), page), location.href);
  const rest = url.search.slice(1);
  return `${url.origin}/?t=${trace}${rest && "&"}${rest}`;
}

const PASSING = ["offline", "busy", "rate_limited"]; // what another try may get over
const PAUSES = [1, 2, 4]; // seconds between the tries

/** @param {string} trace @throws {Problem} */
async function patiently(trace) {
  for (const pause of PAUSES) {
    try {
      return await questionOf(trace);
    } catch (error) {
      if (!(error instanceof Problem && PASSING.includes(error.code))) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000 * pause));
    }
  }
  return questionOf(trace);
}

/**
 * Puts the question of a short link into the address, which says the rest; what is too long for it
 * is kept under its trace. Where the reader has gone on meanwhile the address stays.
 * @param {Page} page
 * @returns {Promise<Problem | null>} why the question cannot be had
 */
export async function openShared(page) {
  const { href } = location;
  const url = new URL(href);
  const trace = url.searchParams.get("t") ?? "";
  url.searchParams.delete("t");
  try {
    const question = merged(page, await patiently(trace));
    if (location.href !== href) return null;
    const { view } = readAddress(url, page);
    if (isTooLong(writeAddress({ question, view }, url, page))) keep(question, trace);
    history.replaceState(null, "", writeAddress({ question, view }, url, page));
    return null;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (location.href !== href) return null;
    history.replaceState(null, "", writeAddress({ question: merged(page, {}), view: DEFAULT_VIEW }, url, page));
    return error;
  }
}

/**
 * Where an export of a trace is had.
 * @param {string} trace
 * @param {Record<string, string | number>} choice format, stages, layer, head
 */
export function exportOf(trace, choice) {
  const query = new URLSearchParams(Object.entries(choice).map(([name, value]) => [name, String(value)]));
  return `/api/v1/traces/${trace}/export?${query}`;
}

const LONGEST_WORD = 30_000; // characters of a command's word that every shell takes

/** @param {State} state @param {string} stage */
function requestOf({ question, view }, stage) {
  return { ...bodyOf(question), stages: [stage], layers: [view.layer], heads: [view.head] };
}

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * A command; a body that is too long for one of its words follows it.
 * @param {State} state
 * @param {string} stage
 */
export function curl(state, stage) {
  const body = JSON.stringify(requestOf(state, stage));
  const address = `${location.origin}/api/v1/attention`;
  const data = body.length > LONGEST_WORD ? `@- <<'QUESTION'\n${body}\nQUESTION` : quoted(body);
  return `curl -sS ${address} \\\n  -H 'Content-Type: application/json' \\\n  -d ${data}\n`;
}

/**
 * A program for Python's own library: it prints the selected stage row by row.
 * @param {State} state
 * @param {string} stage
 * @param {Page} page
 */
export function python(state, stage, page) {
  const { batch } = state.view;
  const head = headAxis(stageOf(page, stage)) ? "[0]" : "";
  return [
    "import json",
    "from urllib.request import Request, urlopen",
    "",
    `question = ${literal(requestOf(state, stage))}`,
    "request = Request(",
    `    "${location.origin}/api/v1/attention",`,
    "    json.dumps(question).encode(),",
    '    {"Content-Type": "application/json"},',
    ")",
    "with urlopen(request) as reply:",
    "    trace = json.load(reply)",
    "",
    `${stage} = trace["layers"][0]["${stage}"][${batch}]${head}`,
    `for row in ${stage}:`,
    "    print(row)",
    "",
  ].join("\n");
}

/**
 * JSON data as Python writes it.
 * @param {unknown} value
 * @param {string} [indent]
 * @returns {string}
 */
function literal(value, indent = "") {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, indent)).join(", ")}]`;
  const inner = `${indent}    `;
  const lines = Object.entries(value).map(
    ([name, each]) => `${inner}${JSON.stringify(name)}: ${literal(each, inner)},`,
  );
  return `{\n${lines.join("\n")}\n${indent}}`;
}
