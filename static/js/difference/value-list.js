import { h } from "../lib/dom.js";

/**
 * Named numbers of each answer and of the difference.
 * @param {{of?: string, label: Child | Child[], value: Child}[]} values
 */
export const valueRows = (values) =>
  values.map(({ of, label, value }) =>
    h("div", { "data-of": of }, h("dt", {}, label), h("dd", { translate: "no" }, value)),
  );
