import { Problem, language } from "./api.js";

/**
 * @param {string} path @param {FormData} form @param {(share: number) => void} tell share sent, 0 to 1
 * @param {AbortSignal} signal @throws {Problem}
 */
export function sendForm(path, form, tell, signal) {
  const request = new XMLHttpRequest(); // `fetch` has no upload progress
  request.open("POST", path);
  request.setRequestHeader("Accept-Language", language());
  return new Promise((resolve, reject) => {
    const callBack = () => request.abort();
    signal.addEventListener("abort", callBack);
    request.upload.onprogress = ({ loaded, total }) => tell(total ? loaded / total : 0);
    request.onabort = () => reject(signal.reason);
    request.onerror = () => reject(new Problem({}));
    request.onload = () => {
      const body = bodyOf(request.responseText);
      if (request.status < 300 && body) resolve(body);
      else reject(new Problem({ detail: request.statusText, ...body, status: request.status }));
    };
    request.onloadend = () => signal.removeEventListener("abort", callBack);
    if (signal.aborted) reject(signal.reason);
    else request.send(form);
  });
}

/**
 * Firefox never ends a request with a deleted file.
 * @param {Iterable<File | string>} parts @param {Store["t"]} t @throws {Problem}
 */
export async function checkReadable(parts, t) {
  try {
    for (const part of parts) if (typeof part !== "string") await part.slice(0, 1).arrayBuffer();
  } catch {
    throw new Problem({ code: "unreadable", detail: t("sending.unreadable") });
  }
}

/** @param {string} text */
function bodyOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null; // a proxy's reply
  }
}
