import { h } from "../lib/dom.js";
import { askAgain } from "./actions.js";

/**
 * @param {Pick<Store, "t">} store @param {Problem} problem
 * @param [large] key of the message for `too_large`
 */
export const refusalWords = ({ t }, { code, message }, large = "long.much") =>
  code === "too_large" ? t(large) : message || t("problem.offline");

/**
 * @param {Pick<Store, "t">} store @param {Problem} problem @param {string} [large]
 */
export function passingWords(store, problem, large) {
  if (!problem.passing) return refusalWords(store, problem, large);
  const { t } = store;
  return problem.code === "offline"
    ? `${t("problem.offline_title")} ${t("problem.retrying")}`
    : `${problem.message} ${t("problem.soon")}`;
}

/** @param {Store} store @param {Problem} problem */
export function refusal(store, problem) {
  const passing = problem.passing || problem.status >= 500;
  const onclick = () => askAgain(store);
  const again = passing && h("button", { type: "button", class: "button", onclick }, store.t("problem.again"));
  return [passingWords(store, problem), again && " ", again];
}
