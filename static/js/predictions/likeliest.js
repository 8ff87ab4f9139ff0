/**
 * `now` and `before` are probabilities; null if the reply lists only likelier pieces.
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
 * Token that follows the position in the text; null at its end.
 * @param {Replies.Predictions} predictions @param {(string | null)[]} tokens
 */
export function nextToken({ position, surprises }, tokens) {
  const surprise = surprises[position + 1];
  const piece = tokens[position + 1];
  return piece === null || piece === undefined || surprise === null || surprise === undefined
    ? null
    : { piece, probability: Math.exp(-surprise) };
}
