/** Bars of the likeliest tokens. If heads are dropped, second bars show probabilities with every head. */

import { wholeOf, wordsOf } from "../core/answer.js";
import { decoded, partsOf } from "../core/pieces.js";
import { fill, h } from "../lib/dom.js";
import { percent } from "../lib/percent.js";
import { nameOf } from "../matrix/names.js";
import { spokenToken } from "../core/spoken-token.js";
import { nextToken, likeliest } from "./likeliest.js";

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

/** @param {Store["t"]} t @param {import("./likeliest.js").Likely} row */
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
