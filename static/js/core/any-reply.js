import { language, request } from "./api.js";

/** Returns error replies, too. @param {string} method @param {string} path @param {string | null} body */
export async function send(method, path, body) {
  const headers = { "Accept-Language": language(), ...(body && { "Content-Type": "application/json" }) };
  const start = performance.now();
  const response = await request(path, { method, headers, body });
  const blob = await response.blob();
  const ms = performance.now() - start;
  const type = response.headers.get("Content-Type") ?? "";
  const text = /json|text|csv/.test(type) ? await blob.text() : "";
  return { status: response.status, type, text, bytes: blob.size, ms };
}
