import { call } from "./api.js";

/** @param {string} path */
export async function fileOf(path) {
  const response = await call(path);
  const disposition = response.headers.get("Content-Disposition") ?? "";
  return { blob: await response.blob(), name: disposition.match(/filename="(.+)"/)?.[1] ?? "attnscope" };
}
