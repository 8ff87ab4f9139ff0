/** Files for download. */

import { call } from "./api.js";

/** A file with the server's name for it. @param {string} path */
export async function fileOf(path) {
  const response = await call(path);
  const told = response.headers.get("Content-Disposition") ?? "";
  return { blob: await response.blob(), name: told.match(/filename="(.+)"/)?.[1] ?? "attnscope" };
}
