import { call } from "./api.js";

/** @param {string} path */
export async function fileOf(path) {
  const response = await call(path);
  const told = response.headers.get("Content-Disposition") ?? "";
  return { blob: await response.blob(), name: told.match(/filename="(.+)"/)?.[1] ?? "attnscope" };
}
