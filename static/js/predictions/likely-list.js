/** Bars of the likeliest tokens; if heads are dropped, second bars show every head's prediction. */

import { wholeOf, wordsOf } from "../core/answer.js";
import { decoded, partsOf } from "../core/pieces.js";
import { spokenToken } from "../core/spoken-token.js";
import { fill, h } from "../lib/dom.js";
import { percent } from "../lib/percent.js";
import { nameOf } from "../matrix/names.js";

/**
 * `now` and `before` are probabilities; null if not in the reply, and `before` if no head is dropped.
 * @typedef {{piece: string, now: number | null, before: number | null, came: boolean}} Likely
 */

const MOST = 6; // tokens besides the actual token and the likeliest with every head

/**
 * @param {Replies.Predictions} now @param {Replies.Predictions | null} before with every head; null if none is dropped
 * @param {{piece: string, probability: number} | null} came actual token @returns {Likely[]}
 */
export function likeliest(now, before, came) {
  const likely = now.top.slice(0, MOST).map(({ piece }) => piece);
  const names = new Set([...likely, before?.top[0]?.piece, came?.piece].filter((piece) => piece !== undefined));
  const rows = [...names].map((piece) => ({
    piece,
    now: probabilityOf(now, piece) ?? (piece === came?.piece ? came.probability : null),
    before: before && probabilityOf(before, piece),
    came: piece === came?.piece,
  }));
  return rows.toSorted((a, b) => (b.now ?? 0) - (a.now ?? 0));
}

/** @param {Replies.Predictions} predictions @param {string} piece */
const probabilityOf = ({ top }, piece) => top.find((each) => each.piece === piece)?.probability ?? null;

/**
 * Token that follows the position in the text; null at its end or without surprises.
 * @param {Replies.Predictions} predictions @param {(string | null)[]} tokens
 */
export function nextToken({ position, surprises }, tokens) {
  const surprise = surprises[position + 1];
  const piece = tokens[position + 1];
  return piece === null || piece === undefined || surprise === null || surprise === undefined
    ? null
    : { piece, probability: Math.exp(-surprise) };
}

/**
 * @param {HTMLElement} root @param {Store} store @param {State} state @param {Replies.Predictions} now
 * @param {Replies.Predictions | null} before
 */
export function likelyList(root, store, { answer, view }, now, before) {
  const { t } = store;
  const reply = wholeOf(/** @type {NonNullable<State["answer"]>} */ (answer).reply);
  const tokens = wordsOf(reply, "query").tokens?.[view.batch] ?? [];
  const rows = likeliest(now, before, nextToken(now, tokens));
  const token = nameOf(/** @type {any} */ ({ answer: { reply }, view }), "query", now.position);
  const [plain, dropped] =
    now.predicts === "masked"
      ? ["predictions.at", "predictions.at_dropped"]
      : ["predictions.after", "predictions.after_dropped"];
  const title = h("h3", {}, t(before ? dropped : plain, { token }));
  if (!now.top.length) return fill(root, title, h("p", { class: "muted" }, t("predictions.overflowed")));
  root.classList.toggle("compared", before !== null); // each line has two numbers
  const lines = rows.map((row) => line(t, row));
  fill(root, title, h("ol", { "aria-label": title.textContent }, lines));
}

/** @param {Store["t"]} t @param {Likely} row */
function line(t, { piece, now, before, came }) {
  const { mark, word } = partsOf(decoded(piece).includes("\ufffd") ? spokenToken(t, piece) : piece);
  const was = before === null ? null : percent(before);
  const space = mark && h("span", { class: "space", "aria-hidden": "true" }, mark);
  const past = was && h("s", { title: t("predictions.was") }, was);
  return h(
    "li",
    { class: came && "came", title: came && t("predictions.came_about") },
    h("span", { class: "piece", translate: "no" }, space, word),
    came && h("span", { class: "sign" }, t("predictions.came")),
    h("span", { class: "number", translate: "no" }, past, " ", now === null ? "–" : percent(now)),
    h("span", { class: "track" }, bar("bar", now), before !== null && bar("before", before)),
  );
}

/** @param {string} name @param {number | null} part */
function bar(name, part) {
  const element = h("i", { class: name });
  element.style.width = `${100 * (part ?? 0)}%`;
  return element;
}
