import { h } from "../lib/dom.js";

/**
 * @param {{of?: string, label: Child | Child[], value: Child}[]} values
 */
export const valueRows = (values) =>
  values.map(({ of, label, value }) =>
    h("div", { "data-of": of }, h("dt", {}, label), h("dd", { translate: "no" }, value)),
  );
