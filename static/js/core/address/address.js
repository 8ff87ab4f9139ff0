import { stagesOn, allStages } from "../page.js";
import { asQuestion, MATRICES, defaultModel, defaultQuestion } from "../question.js";
import { DEFAULT_VIEW, MODEL, QUESTION, VIEW } from "./fields.js";
import { LARGE, TEXTS, hashOf, isLongText, readHash } from "./hash.js";
import { CELL, INDEX, WORD, oneOf } from "./kinds.js";
import { findKept, keptName } from "./long-questions.js";

/** @typedef {{question: Question, view: View}} Asked */

/** @param {URL} url */
const isBare = ({ searchParams, hash }) => [...searchParams.keys()].every((name) => name === "lang") && hash.length < 2;

/** State that the server chose for an empty address; null: the defaults. @param {Page} page @returns {Asked | null} */
export const firstScreen = ({ first, ...page }) =>
  first ? { question: asQuestion(page, first.question), view: { ...DEFAULT_VIEW, ...first.view } } : null;

/** @param {URL} url @param {Page} page */
export const openedBy = (url, page) => (isBare(url) ? firstScreen(page) : null);

/** @param {Asked} state @param {Page} page */
export function isFirst({ question, view }, page) {
  const first = firstScreen(page);
  return first !== null && JSON.stringify(first) === JSON.stringify({ question, view });
}

/** @typedef {import("./kinds.js").Kind<any> & {of?: string}} Kind */

/** @type {Record<string, Kind>} */
const LOOKED = Object.fromEntries(Object.entries(VIEW).map(([name, { kind }]) => [name, kind]));

/**
 * @param {URL} url @param {Page} page
 * @returns {{question: Question, view: View, ignored: string[]}}
 */
export function readAddress(url, page) {
  const first = openedBy(url, page);
  const query = url.searchParams;
  if (first) return { ...first, ignored: ignoredIn(query, first.question.model, page) };
  const { large, ignored } = readHash(url.hash);
  const source = oneOf(Object.keys(page.models)).parse(query.get("source") ?? "") ?? "seeded";
  const model = read(query, MODEL, defaultModel(page, source));
  const foreign = MATRICES.filter((name) => name in large && !(name in model));
  for (const name of MATRICES) if (name in large && name in model) model[name] = large[name];
  const question = read(query, QUESTION, defaultQuestion(page));
  const example = source === "trained" && !query.has("text") && page.lessons[model.task]?.example;
  const said = { ...question, ...(example && { text: example }) };
  const given = large.x || large.tokens;
  const view = read(query, viewOf(page), DEFAULT_VIEW);
  const written = ["layer", "head"].some((name) => INDEX.parse(query.get(name) ?? "") === 0);
  if (written && isFirstHead(view)) view.chosen = true;
  return {
    question: findKept(query.get("t")) ?? {
      ...[...TEXTS, ...LARGE].reduce((all, name) => ({ ...all, [name]: large[name] ?? all[name] }), said),
      model,
      ...(given && { text: "" }),
      ...((large.context_x || large.context_tokens) && { context: "" }),
    },
    view,
    ignored: [...ignoredIn(query, model, page), ...foreign, ...ignored],
  };
}

/** @param {Page} page @returns {Record<string, Kind>} */
function viewOf(page) {
  const cell = (/** @type {string} */ text) => {
    const value = CELL.parse(text);
    return allStages(page).some(({ name }) => name === value?.stage) ? value : undefined;
  };
  const stage = oneOf(stagesOn(page).map(({ name }) => name));
  const metric = oneOf(page.metrics.map(({ name }) => name));
  return { ...LOOKED, cell: { ...CELL, parse: cell }, stage, metric, rounding: oneOf(page.choices.dtype) };
}

/** @param {URLSearchParams} query @param {Model} model @param {Page} page */
function ignoredIn(query, model, page) {
  const source = oneOf(Object.keys(page.models));
  /** @type {Record<string, Kind>} */
  const kinds = { ...QUESTION, ...viewOf(page), source, lang: oneOf([page.lang]), t: { ...WORD, parse: findKept } };
  for (const name of Object.keys(MODEL)) if ((MODEL[name].of ?? name) in model) kinds[name] = MODEL[name];
  return [...query]
    .filter(([name, text]) => !Object.hasOwn(kinds, name) || kinds[name].parse(text) === undefined)
    .map(([name, text]) => (text ? `${name}=${text}` : name));
}

/**
 * @param {{question: Question, view: View}} state @param {URL} url whose `lang` is kept @param {Page} page
 * @param {boolean} spelled write the fields even if an empty address opens this state
 */
export function writeAddress({ question, view }, url, page, spelled = false) {
  const query = new URLSearchParams();
  const lang = url.searchParams.get("lang");
  if (lang === page.lang) query.set("lang", lang);
  if (!spelled && isFirst({ question, view }, page)) return `${url.pathname}${query.size ? `?${query}` : ""}`;
  const name = keptName(question);
  if (name) {
    query.set("t", name);
    writeView(query, view);
    return `${url.pathname}?${query}`;
  }
  const { model } = question;
  const base = defaultModel(page, model.source);
  if (model.source === "installed") base.name = null; // the default differs between servers
  /** @type {Record<string, any>} */
  const asked = { ...question };
  if (question.x || question.tokens) asked.text = page.defaults.text;
  if (question.context_x || question.context_tokens) asked.context = null;
  for (const name of TEXTS) if (isLongText(question[name])) asked[name] = page.defaults[name];
  write(query, QUESTION, asked, defaultQuestion(page));
  if (model.source !== "seeded") query.set("source", model.source);
  write(query, MODEL, model, model.source === "installed" ? { ...base, name: null } : base);
  writeView(query, view);
  const hash = hashOf(question, base);
  if (page.first && !hash && query.size === Number(Boolean(lang))) query.set("source", model.source); // else page.first opens
  const text = query.toString().replaceAll("+", "%20");
  return `${url.pathname}${text && "?"}${text}${hash}`;
}

/**
 * `name=value` for each field of `asked` that `shown` lacks or changes.
 * @param {Record<string, any>} asked @param {Record<string, any>} shown
 */
export const unshown = (asked, shown) =>
  Object.keys(LOOKED)
    .filter((name) => JSON.stringify(asked[name]) !== JSON.stringify(shown[name]))
    .map((name) => `${name}=${LOOKED[name].print(without(asked[name], shown[name]))}`);

/** @param {any} all @param {any} some */
const without = (all, some) => all.filter?.((/** @type {any} */ each) => !some.includes(each)) ?? all;

/** @param {View} view */
const isFirstHead = ({ layer, head }) => layer === 0 && head === 0;

/** @param {URLSearchParams} query @param {View} view */
function writeView(query, view) {
  write(query, LOOKED, view, DEFAULT_VIEW);
  if (view.chosen && isFirstHead(view)) query.set("head", "0");
}

/**
 * @template {object} Values @param {URLSearchParams} query @param {Record<string, Kind>} kinds @param {Values} defaults
 */
function read(query, kinds, defaults) {
  const values = /** @type {Record<string, any>} */ ({ ...defaults });
  for (const [name, kind] of Object.entries(kinds)) {
    const text = query.get(name);
    const field = kind.of ?? name;
    const value = text === null || !(field in defaults) ? undefined : kind.parse(text);
    if (value !== undefined) values[field] = value;
  }
  return /** @type {Values} */ (values);
}

/**
 * @param {URLSearchParams} query @param {Record<string, Kind>} kinds @param {Record<string, any>} values
 * @param {Record<string, any>} defaults
 */
function write(query, kinds, values, defaults) {
  for (const [name, kind] of Object.entries(kinds)) {
    const field = kind.of ?? name;
    const value = values[field];
    if (value === null || value === undefined) continue;
    if (JSON.stringify(value) !== JSON.stringify(defaults[field])) query.set(name, kind.print(value));
  }
}
