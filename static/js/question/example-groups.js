/** In teaching order. */
export const GROUPS = ["pattern", "hand", "texts", "languages"];
const FIRST = ["first", "reversal", "sorting", "addition", "crafted-induction", "crafted-all"];

/** @param {Example} example */
export function groupOf({ question: { model, text, context, context_tokens } }) {
  if (model?.source === "crafted" || model?.source === "installed") return "pattern";
  if (model?.source === "explicit") return "hand";
  return Array.isArray(text) || context || context_tokens ? "texts" : "languages";
}

/** @param {Example[]} all @param {string} group */
export function inGroup(all, group) {
  const rank = (/** @type {Example} */ { id }) => (FIRST.includes(id) ? FIRST.indexOf(id) : FIRST.length);
  return all.filter((each) => groupOf(each) === group).toSorted((a, b) => rank(a) - rank(b));
}
