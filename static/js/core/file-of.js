/** Files for download. */

import { call } from "./api.js";

/**
 * A file, with the name the server gives it.
 * @param {string} path
 * @returns {Promise<{blob: Blob, name: string}>}
 */
export async function fileOf(path) {
  const response = await call(path);
  const told = response.headers.get("Content-Disposition") ?? "";
  return { blob: await response.blob(), name: told.match(/filename="(.+)"/)?.[1] ?? "attnscope" };
}
