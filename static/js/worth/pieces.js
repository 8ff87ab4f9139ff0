import { setView } from "../core/actions.js";
import { marked, partsOf } from "../core/pieces.js";
import { spokenToken } from "../core/spoken-token.js";
import { h } from "../lib/dom.js";
import { percent } from "../lib/percent.js";

const OFFERED = 12; // likeliest tokens in the menu

/**
 * @param {Store} store @param {string} chosen @param {string} usual default token
 * @param {Replies.Predictions} said
 */
export function pieceChoice(store, chosen, usual, { top }) {
  const likely = top.slice(0, OFFERED).map(({ piece }) => piece);
  const chance = new Map(top.map(({ piece, probability }) => [piece, probability]));
  const options = [...new Set([usual, chosen, ...likely])].map((piece) => {
    const part = chance.get(piece) ?? null;
    const label = part === null ? marked(piece) : `${marked(piece)} ${percent(part)}`;
    return h("option", { value: piece, selected: piece === chosen }, label);
  });
  const choose = () => setView(store, { piece: list.value === usual ? null : list.value });
  const list = h("select", { "aria-label": store.t("worth.piece"), onchange: choose }, options);
  return list;
}

/** @param {Store["t"]} t @param {string} token */
export function pieceName(t, token) {
  const { word } = partsOf(token);
  return /^[<↵␣⇥]/.test(word) ? spokenToken(t, word) : word;
}
