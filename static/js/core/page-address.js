/** Keeps the parameter `lang`. @param {string} path @param {Record<string, string>} [query] */
export function pageAddress(path, query = {}) {
  const words = new URLSearchParams(query);
  const lang = new URLSearchParams(location.search).get("lang");
  if (lang) words.set("lang", lang);
  return String(words) ? `${path}?${words}` : path;
}
