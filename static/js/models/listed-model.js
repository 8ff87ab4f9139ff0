/** A model that came while the page is open: its place in the list, as the server writes it. */

import { call } from "../core/api.js";
import { find } from "../lib/dom.js";

const LIST = "section[aria-labelledby=on-server] .shelf";

/**
 * Puts a model into the list of those on the server.
 * @param {string} name
 * @returns {Promise<HTMLElement | null>} its link to Explore; null where the server does not list it
 * @throws {import("../core/api.js").Problem}
 */
export async function listModel(name) {
  const html = await (await call(location.pathname + location.search)).text();
  const item = new DOMParser().parseFromString(html, "text/html").querySelector(`[data-model="${name}"]`);
  if (!item) return null;
  const here = document.importNode(item, true);
  find(LIST).append(here);
  return find("a.main", here);
}
