/** The state of the Compare page: two questions, one view of both, and their address. */

import { DEFAULT_VIEW, readAddress, writeAddress } from "./address.js";
import { Difference } from "./difference.js";
import { nameOfKept } from "./kept.js";
import { fetchNamed, keepLong } from "./named.js";
import { initialState } from "./state.js";

/** @typedef {import("./address.js").View} View */
/** @typedef {import("./answer.js").Answer} Answer */
/** @typedef {import("./difference.js").Align} Align */
/** @typedef {import("./beside.js").Name} Name */
/** @typedef {import("./difference.js").Side} Side */
/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./question.js").Question} Question */
/** @typedef {import("./state.js").State} State */

/**
 * Cells of `hover` and `view` are places in the difference.
 * @typedef {Object} Comparison
 * @property {State} a its own view and hover are not used
 * @property {State} b
 * @property {View} view
 * @property {State["hover"]} hover
 * @property {Align} align
 * @property {Name} of which of the three is seen large
 * @property {string} theme
 */

/** @typedef {{a: Question, b: Question, view: View, align: Align, of?: Name}} Pair what the address holds */
/** @typedef {import("../lib/store.js").Store<Comparison, Page>} PairStore */

export const SIDES = /** @type {const} */ (["a", "b"]);

/** @param {Page} page @returns {Comparison} */
export function initialComparison(page) {
  const state = { ...initialState(page), view: DEFAULT_VIEW, ignored: [] };
  const { a, b, ignored, ...looked } = readPair(new URL(location.href), page);
  return {
    a: { ...state, question: a, ignored: ignored.a },
    b: { ...state, question: b, ignored: ignored.b },
    ...looked,
    hover: null,
    theme: state.theme,
  };
}

/**
 * The part of an address that belongs to one side, as an address of its own.
 * @param {URL} url
 * @param {string} prefix
 */
function part(url, prefix) {
  const own = new URL(url.pathname, url);
  for (const [name, value] of url.searchParams)
    if (name.startsWith(prefix)) own.searchParams.set(name.slice(prefix.length), value);
  let large = {};
  try {
    large = JSON.parse(decodeURIComponent(url.hash.slice(1))) ?? {};
  } catch {
    return own; // no matrices, or not ours
  }
  const entries = Object.entries(large).filter(([name]) => name.startsWith(prefix));
  const named = Object.fromEntries(entries.map(([name, value]) => [name.slice(prefix.length), value]));
  if (entries.length) own.hash = encodeURIComponent(JSON.stringify(named));
  return own;
}

/**
 * @param {URL} url
 * @param {Page} page
 * @returns {Pair & {of: Name, ignored: Record<Side, string[]>}} `ignored` is what of each side means nothing
 */
export function readPair(url, page) {
  const [a, b] = SIDES.map((side) => readAddress(part(url, `${side}.`), page));
  const align = url.searchParams.get("align") === "edit" ? "edit" : "position";
  const of = SIDES.find((side) => side === url.searchParams.get("of")) ?? "difference";
  const ignored = { a: a.ignored, b: b.ignored };
  return { a: a.question, b: b.question, align, of, view: readAddress(url, page).view, ignored };
}

/**
 * The address of a comparison: each question under its letter, the view as everywhere.
 * @param {Pair} pair
 * @param {URL} url the present address: its language is kept
 * @param {Page} page
 */
export function writePair({ a, b, view, align, of = "difference" }, url, page) {
  const bare = new URL("/", url);
  const read = (/** @type {Question} */ question) =>
    new URL(writeAddress({ question, view: DEFAULT_VIEW }, bare, page), url);
  const looked = new URL(writeAddress({ question: page.defaults, view }, bare, page), url);
  const query = new URLSearchParams();
  /** @type {Record<string, unknown>} */
  const large = {};
  const lang = url.searchParams.get("lang");
  if (lang) query.set("lang", lang);
  for (const [side, own] of /** @type {[string, URL][]} */ ([
    ["a", read(a)],
    ["b", read(b)],
  ])) {
    for (const [name, value] of own.searchParams) query.set(`${side}.${name}`, value);
    const matrices = own.hash ? JSON.parse(decodeURIComponent(own.hash.slice(1))) : {};
    for (const [name, value] of Object.entries(matrices)) large[`${side}.${name}`] = value;
  }
  for (const [name, value] of looked.searchParams) query.set(name, value);
  if (align !== "position") query.set("align", align);
  if (of !== "difference") query.set("of", of);
  const text = query.toString().replaceAll("+", "%20");
  const hash = Object.keys(large).length ? `#${encodeURIComponent(JSON.stringify(large))}` : "";
  return `/compare${text && "?"}${text}${hash}`;
}

/**
 * Binds a comparison to the address: back and forward walk through its states.
 * @param {PairStore} store
 */
export function bindPair(store) {
  /** What means nothing must not go on in the links that are made of this address. */
  const tidy = () => {
    const state = store.get();
    if (!SIDES.some((side) => state[side].ignored.length)) return;
    const pair = { ...state, a: state.a.question, b: state.b.question };
    history.replaceState(null, "", writePair(pair, new URL(location.href), store.page));
  };
  store.subscribe((state, previous, how) => {
    const { a, b, view, align, of } = state;
    const asked = a.question !== previous.a.question || b.question !== previous.b.question;
    const looked = view !== previous.view || align !== previous.align || of !== previous.of;
    if (how.silent || !(asked || looked)) return;
    if (asked) for (const { question } of [a, b]) keepLong(question, undefined, store.page);
    const url = new URL(location.href);
    const address = writePair({ a: a.question, b: b.question, view, align, of }, url, store.page);
    if (address === url.pathname + url.search + url.hash) return;
    history[how.replace ? "replaceState" : "pushState"](null, "", address);
  });
  store.subscribe((state, previous) => {
    const answered = SIDES.filter((side) => state[side].answer !== previous[side].answer);
    const named = answered.filter((side) => {
      const { question, answer } = state[side];
      return answer && nameOfKept(question) && keepLong(question, answer.reply.trace, store.page);
    });
    const pair = { ...state, a: state.a.question, b: state.b.question };
    if (named.length) history.replaceState(null, "", writePair(pair, new URL(location.href), store.page));
  });
  window.addEventListener("popstate", async () => {
    await fetchNamed(store.page);
    const { a, b, ignored, ...looked } = readPair(new URL(location.href), store.page);
    const now = store.get();
    const sides = {
      a: { ...now.a, question: a, ignored: ignored.a },
      b: { ...now.b, question: b, ignored: ignored.b },
    };
    store.set({ ...sides, ...looked }, { silent: true });
    tidy();
  });
  tidy();
}

/**
 * Whether a stage has something to say: with one layer of bare attention the block output repeats
 * the output.
 * @param {Comparison} state
 * @param {import("./page.js").Stage} stage
 */
export function told({ a, b }, stage) {
  const bare = [a, b].every(
    ({ answer, question: { model } }) =>
      answer?.reply.shape.num_layers === 1 && (model.block ?? "attention") === "attention",
  );
  const both = [a, b].every(({ answer, status }) => answer && status !== "empty" && status !== "no_upload");
  return both && !(stage.name === "block_output" && bare);
}

/** @type {WeakMap<Answer, WeakMap<Answer, Map<Align, Difference>>>} */
const made = new WeakMap();

/**
 * The difference of the two answers; null until both are there.
 * @param {Page} page
 * @param {Comparison} state
 */
export function differenceOf(page, { a: { answer: a }, b: { answer: b }, align }) {
  if (!a || !b) return null;
  const others = made.get(a) ?? new WeakMap();
  made.set(a, others);
  const aligned = others.get(b) ?? new Map();
  others.set(b, aligned);
  if (!aligned.has(align)) aligned.set(align, new Difference(page, a, b, align));
  return /** @type {Difference} */ (aligned.get(align));
}

/**
 * One side, or the difference, as a store of its own: what views of a single question draw from.
 * @param {PairStore} store
 * @param {Side | "difference"} name
 * @returns {import("./state.js").Store}
 */
export function lens(store, name) {
  const side = name === "difference" ? null : name;
  /** @type {WeakMap<Comparison, State>} */
  const seen = new WeakMap();
  /** @type {{from: Comparison, difference: Difference | null, state: State} | null} */
  let last = null;

  /** @param {Comparison} from @returns {State} */
  function look(from) {
    const known = seen.get(from);
    if (known) return known;
    const difference = differenceOf(store.page, from);
    const same = last?.from.view === from.view && last.difference === difference;
    const state = {
      ...from[side ?? "a"],
      theme: from.theme,
      view: last && same ? last.state.view : { ...from.view, cell: place(from.view.cell, from, difference) },
      hover: place(from.hover, from, difference),
    };
    if (difference) state.answer = side ? difference.sides[side] : /** @type {any} */ (difference);
    else if (!side) state.answer = null;
    last = { from, difference, state };
    seen.set(from, state);
    return state;
  }

  /**
   * Where a cell lies in this side: unknown until there is a difference.
   * @template {import("./address.js").Cell} C
   * @param {C | null} cell
   * @param {Comparison} from
   * @param {Difference | null} difference
   * @returns {C | null}
   */
  function place(cell, from, difference) {
    if (!cell || !side) return cell;
    return difference && difference.toSide(cell, side, from.view.batch);
  }

  /**
   * @template {import("./address.js").Cell} C
   * @param {C | null} cell
   * @returns {C | null}
   */
  function replace(cell) {
    const difference = differenceOf(store.page, store.get());
    return cell && side && difference ? difference.fromSide(cell, side, store.get().view.batch) : cell;
  }

  /** @param {View} view @returns {View} the shared one, unless something in it is new */
  function shared(view) {
    const now = look(store.get()).view;
    const moved = JSON.stringify(view.cell) !== JSON.stringify(now.cell);
    const next = { ...view, cell: moved ? replace(view.cell) : store.get().view.cell };
    return JSON.stringify(next) === JSON.stringify(store.get().view) ? store.get().view : next;
  }

  return {
    page: store.page,
    t: store.t,
    get: () => look(store.get()),
    set({ view, hover, ...own }, how) {
      const patch = /** @type {Partial<Comparison>} */ ({});
      if (side && Object.keys(own).length) patch[side] = { ...store.get()[side], ...own };
      if (view) patch.view = shared(view);
      if (hover !== undefined) patch.hover = replace(hover);
      store.set(patch, how);
    },
    subscribe: (listener) =>
      store.subscribe((state, previous, how) => listener(look(state), look(previous), how)),
  };
}
