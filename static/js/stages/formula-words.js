import { labelOf } from "../matrix/names.js";

// Message keys by formula; other formulas need no translation.
const WORDS = /** @type {Record<string, string>} */ ({
  "embedding + position": "words.embedding_position",
  "LN(embedding + position)": "words.embedding_normed",
  "LN(embedding + position + token type)": "words.embedding_typed",
  "LN(embedding + position + token type) w_e + b_e": "words.embedding_projected",
  embedding: "words.embedding",
  "LN(embedding)": "words.embedding_alone_normed",
  "embedding × c": "words.embedding_scaled",
  "embedding × c + position": "words.embedding_scaled_position",
  "LN(embedding × c)": "words.embedding_scaled_normed",
  "LN(embedding × c + position)": "words.embedding_scaled_position_normed",
  "block_output of the encoder": "words.encoded",
  "LN(block_output of the encoder)": "words.encoded_normed",
  given: "words.given",
  "block_output of the layer below": "words.below",
  "scaled_scores where the query may attend, −∞ elsewhere": "words.open",
  "heads side by side": "words.heads",
  "heads side by side, 0 for those that are dropped": "words.dropped",
});

/** @param {Store} store @param {string} formula */
export const formulaText = (store, formula) => (formula in WORDS ? store.t(WORDS[formula]) : labelOf(store, formula));
