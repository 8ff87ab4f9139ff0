/** Adds a new model to the list, as the server renders it. */

import { call } from "../core/api.js";
import { find } from "../lib/dom.js";

const LIST = "section[aria-labelledby=on-server] .shelf";

/** @param {string} name @returns link to Explore; null if not listed @throws {Problem} */
export async function listModel(name) {
  const html = await (await call(location.pathname + location.search)).text();
  const item = new DOMParser().parseFromString(html, "text/html").querySelector(`[data-model="${name}"]`);
  if (!item) return null;
  const here = document.importNode(item, true);
  find(LIST).append(here);
  return find("a.main", here);
}
