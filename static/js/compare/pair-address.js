/** The address of Compare: parameters of the two questions begin with `a.` and `b.` */

import { readAddress, writeAddress } from "../core/address/address.js";
import { DEFAULT_VIEW } from "../core/address/fields.js";
import { asQuestion } from "../core/question.js";
import { SIDES } from "./pair.js";

/** @typedef {import("./three-values.js").Name} Name */
/** @typedef {{a: Question, b: Question, view: View, align: import("../difference/difference.js").Align, of?: Name}} Pair */

/** @param {URL} url @param {string} prefix */
function part(url, prefix) {
  const own = new URL(url.pathname, url);
  for (const [name, value] of url.searchParams)
    if (name.startsWith(prefix)) own.searchParams.set(name.slice(prefix.length), value);
  let large = {};
  try {
    large = matricesIn(url) ?? {};
  } catch {
    return own; // the hash holds no matrices
  }
  const entries = Object.entries(large).filter(([name]) => name.startsWith(prefix));
  const named = Object.fromEntries(entries.map(([name, value]) => [name.slice(prefix.length), value]));
  if (entries.length) own.hash = encodeURIComponent(JSON.stringify(named));
  return own;
}

/** Text of question B in an empty address: with “wide”, “it” means the street. */
const OPENING = { text: "The animal didn't cross the street because it was too wide." };

/** @param {URL} url */
export const isBare = ({ searchParams, hash }) =>
  hash.length < 2 && [...searchParams.keys()].every((name) => name === "lang");

/** @param {Page} page @param {Pair} asked */
function openingOf(page, asked) {
  const [a, b] = page.pair ?? [];
  if (!a || !b) return { ...asked, b: { ...asked.b, ...OPENING } };
  return {
    ...asked,
    a: asQuestion(page, a.question),
    b: asQuestion(page, b.question),
    view: { ...asked.view, ...a.view },
  };
}

/**
 * @param {URL} url @param {Page} page
 * @returns {Pair & {of: Name, ignored: Record<import("../difference/difference.js").Side, string[]>}} `ignored`: unknown parameters by side
 */
export function readPair(url, page) {
  const [a, b] = SIDES.map((side) => readAddress(part(url, `${side}.`), page));
  const align = url.searchParams.get("align") === "edit" ? "edit" : "position";
  const of = SIDES.find((side) => side === url.searchParams.get("of")) ?? "difference";
  const ignored = { a: a.ignored, b: b.ignored };
  /** @type {Pair} */
  const asked = { a: a.question, b: b.question, align, view: readAddress(url, page).view };
  return { ...(isBare(url) ? openingOf(page, asked) : asked), of, ignored };
}

/** @param {Pair} pair @param {URL} url @param {Page} page */
export function writePair({ a, b, view, align, of = "difference" }, url, page) {
  page = { ...page, first: null }; // a side without parameters has the default question
  const bare = new URL("/", url);
  const sides = { a: { question: a, view: DEFAULT_VIEW }, b: { question: b, view: DEFAULT_VIEW } };
  const looked = new URL(writeAddress({ question: page.defaults, view }, bare, page), url);
  const query = new URLSearchParams();
  const large = /** @type {Record<string, unknown>} */ ({});
  const lang = url.searchParams.get("lang");
  if (lang === page.lang) query.set("lang", lang);
  for (const side of SIDES) {
    const own = new URL(writeAddress(sides[side], bare, page), url);
    for (const [name, value] of own.searchParams) query.set(`${side}.${name}`, value);
    for (const [name, value] of Object.entries(matricesIn(own))) large[`${side}.${name}`] = value;
  }
  for (const [name, value] of looked.searchParams) query.set(name, value);
  if (align !== "position") query.set("align", align);
  if (of !== "difference") query.set("of", of);
  const equal = isBare(new URL(`?${query}`, bare)) && Object.keys(large).length === 0;
  if (equal) query.set("align", align); // an empty address would open the example pair
  const text = query.toString().replaceAll("+", "%20");
  const hash = Object.keys(large).length ? `#${encodeURIComponent(JSON.stringify(large))}` : "";
  return `/compare${text && "?"}${text}${hash}`;
}

/** @param {URL} url @returns {Record<string, unknown>} */
const matricesIn = ({ hash }) => (hash ? JSON.parse(decodeURIComponent(hash.slice(1))) : {});
