/** What a person reads where the server refuses a part of an answer: what is too large for the API's reasons has words here. */

/**
 * @param {Pick<import("./state.js").Store, "t">} store
 * @param {import("./api.js").Problem} problem
 * @param {string} [large] the sentence that says what to do where it is too large
 */
export const refusalWords = ({ t }, { code, message }, large = "long.much") =>
  code === "too_large" ? t(large) : message || t("problem.offline");
