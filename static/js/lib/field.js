import { h } from "./dom.js";

/** @param {string} name @param {...Child} controls */
export const field = (name, ...controls) => h("label", { class: "field" }, h("span", {}, name), ...controls);
