import { setView } from "../core/actions.js";
import { partsOf } from "../core/pieces.js";
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
    const name = optionName(store.t, piece);
    const label = part === null ? name : `${name} ${percent(part)}`;
    return h("option", { value: piece, selected: piece === chosen }, label);
  });
  const choose = () => setView(store, { piece: list.value === usual ? null : list.value });
  const list = h("select", { "aria-label": store.t("worth.piece"), onchange: choose }, options);
  return list;
}

/** Bytes as under the sentence, and a mark for a leading space. @param {Store["t"]} t @param {string} piece */
export function optionName(t, piece) {
  const { mark, word } = partsOf(piece);
  return mark + (word.startsWith("<") ? spokenToken(t, word) : word);
}

/** @param {Store["t"]} t @param {string} token */
export function pieceName(t, token) {
  const { word } = partsOf(token);
  return /^[<↵␣⇥]/.test(word) ? spokenToken(t, word) : word;
}
