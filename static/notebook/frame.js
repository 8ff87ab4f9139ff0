/*
 * Runs first in the document of a notebook's frame, which has no address and no server: what the scripts of the page
 * get as `location`, `history`, `fetch` … in place of the browser's own. Requests go through a port to the widget.
 */
"use strict";

var attnscopeFrame = (() => {
  const given = /** @type {HTMLScriptElement} */ (document.currentScript).dataset;
  const entry = given.entry ?? "";
  let address = new URL(given.target ?? "/", given.origin);
  let isDark = "dark" in given;
  /** @type {MessagePort | null} */
  let port = null;
  /** @type {[any, Transferable[]][]} what was said before the widget answered */
  const early = [];

  /** @param {any} message @param {Transferable[]} [transfer] */
  function say(message, transfer = []) {
    if (port) port.postMessage(message, transfer);
    else early.push([message, transfer]);
  }

  addEventListener("message", function begin({ source, ports }) {
    if (source !== parent || port || !ports.length) return;
    port = ports[0];
    port.onmessage = ({ data }) => heard(data);
    for (const [message, transfer] of early.splice(0)) port.postMessage(message, transfer);
    removeEventListener("message", begin);
  });

  // The address

  /** @param {string | URL} to */
  const open = (to) => say({ kind: "open", target: target(new URL(to, address)) });
  /** @param {URL} url */
  const target = (url) => url.pathname + url.search + url.hash;

  const place = {
    get href() {
      return address.href;
    },
    get origin() {
      return address.origin;
    },
    get host() {
      return address.host;
    },
    get pathname() {
      return address.pathname;
    },
    get search() {
      return address.search;
    },
    get hash() {
      return address.hash;
    },
    assign: open,
    replace: open,
    reload: () => open(address),
    toString: () => address.href,
  };

  /** @param {unknown} _state @param {string} _title @param {string | URL} to */
  function moved(_state, _title, to) {
    address = new URL(to, address);
    say({ kind: "moved", target: target(address) });
  }
  const past = { state: null, pushState: moved, replaceState: moved };

  // Requests

  /** @typedef {{resolve: (reply: Response) => void, reject: (error: unknown) => void, body?: ReadableStreamDefaultController}} Waiting */
  /** @type {Map<number, Waiting>} */
  const waiting = new Map();
  let last = 0;

  /** @param {string | URL} to @param {RequestInit} [init] @returns {Promise<Response>} */
  async function ask(to, init = {}) {
    const url = new URL(to, address);
    if (url.origin !== address.origin) throw new TypeError(`${url.origin} is another site`);
    const request = new Request(url, { ...init, signal: null });
    const body = request.method === "GET" || request.method === "HEAD" ? null : await request.arrayBuffer();
    const { signal } = init;
    signal?.throwIfAborted();
    const id = ++last;
    signal?.addEventListener("abort", () => {
      const one = waiting.get(id);
      if (!one) return;
      waiting.delete(id);
      say({ kind: "abort", id });
      one.reject(signal.reason);
      one.body?.error(signal.reason);
    });
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      const headers = [...request.headers];
      say({ kind: "ask", id, method: request.method, target: target(url), headers, body }, body ? [body] : []);
    });
  }

  const BODILESS = [204, 205, 304];

  /** @param {any} message a part of a reply; the first has its status */
  function replied({ id, status, headers, bytes, more, failed }) {
    const one = waiting.get(id);
    if (!one) return;
    if (!more) waiting.delete(id);
    if (failed) {
      one.reject(new TypeError(failed));
      return one.body?.error(new TypeError(failed));
    }
    if (status) {
      const stream = new ReadableStream({ start: (controller) => void (one.body = controller) });
      one.resolve(new Response(BODILESS.includes(status) ? null : stream, { status, headers }));
    }
    if (bytes?.byteLength) one.body?.enqueue(new Uint8Array(bytes));
    if (!more) one.body?.close();
  }

  /** Uploads: XMLHttpRequest as far as the page uses it. */
  class Sending {
    upload = { onprogress: (/** @type {any} */ _progress) => {} };
    status = 0;
    statusText = "";
    responseText = "";
    onload = () => {};
    onabort = () => {};
    onerror = () => {};
    onloadend = () => {};
    #control = new AbortController();
    /** @type {[string, string][]} */
    #headers = [];
    #method = "POST";
    #to = "";

    /** @param {string} method @param {string} to */
    open(method, to) {
      [this.#method, this.#to] = [method, to];
    }

    /** @param {string} name @param {string} value */
    setRequestHeader(name, value) {
      this.#headers.push([name, value]);
    }

    abort() {
      this.#control.abort();
    }

    /** @param {BodyInit} body */
    async send(body) {
      const { signal } = this.#control;
      try {
        const reply = await ask(this.#to, { method: this.#method, headers: this.#headers, body, signal });
        this.responseText = await reply.text();
        [this.status, this.statusText] = [reply.status, reply.statusText];
        this.onload();
      } catch {
        if (signal.aborted) this.onabort();
        else this.onerror();
      }
      this.onloadend();
    }
  }

  // Light and dark, and what is kept

  const scheme = Object.assign(new EventTarget(), { media: "(prefers-color-scheme: dark)" });
  Object.defineProperty(scheme, "matches", { get: () => isDark });
  /** @param {string} query */
  const media = (query) => (query === scheme.media ? scheme : matchMedia(query));

  /** Storage that lasts as long as the document. */
  function memory() {
    /** @type {Map<string, string>} */
    const kept = new Map();
    return {
      getItem: (/** @type {string} */ name) => kept.get(name) ?? null,
      setItem: (/** @type {string} */ name, /** @type {string} */ text) => void kept.set(name, String(text)),
      removeItem: (/** @type {string} */ name) => void kept.delete(name),
    };
  }
  const shims = [place, past, ask, Sending, media, memory(), memory()];
  /** @param {(...shims: any[]) => unknown} program */
  const run = (program) => void program(...shims);

  // Scripts that come later: each is an element, for the policy allows no other code.

  /** @type {((...shims: any[]) => unknown) | null} */
  let loaded = null;

  /** Of a script, which the document may have. @param {URL} url */
  async function sourceOf(url) {
    const there = document.querySelector(`script[data-ahead="${CSS.escape(url.pathname)}"]`);
    if (there) return (there.textContent ?? "").replaceAll("<\\/", "</");
    const reply = await ask(url);
    if (!reply.ok) throw new TypeError(`${url.pathname}: ${reply.status}`);
    return reply.text();
  }

  /** @param {string} name from the script of the page @returns {Promise<{default: any}>} */
  async function load(name) {
    const source = (await sourceOf(new URL(name, new URL(entry, address)))).replace(/^export default /, "return ");
    const script = document.createElement("script");
    const names = "location, history, fetch, XMLHttpRequest, matchMedia, localStorage, sessionStorage";
    script.textContent = `attnscopeFrame.take(function (${names}) {\n"use strict";\n${source}\n});`;
    document.head.append(script);
    script.remove();
    const made = loaded;
    loaded = null;
    if (!made) throw new TypeError(`${name} is no script`);
    return { default: made(...shims) };
  }

  /** @param {(...shims: any[]) => unknown} script */
  function take(script) {
    loaded = script;
  }

  // What the widget says

  /** @param {any} message */
  function heard(message) {
    if (message.kind === "reply") replied(message);
    else if (message.kind === "go") {
      const { searchParams } = address;
      address = new URL(message.target, address);
      window.dispatchEvent(new PopStateEvent("popstate"));
      if (address.searchParams.get("tab") !== searchParams.get("tab"))
        document.getElementById("tabs")?.scrollIntoView();
    } else if (message.kind === "dark" && message.dark !== isDark) {
      isDark = message.dark;
      scheme.dispatchEvent(new Event("change"));
    }
  }

  /** Brings the tab that the address opens into view, once the page has all its parts: the last is the help. */
  function showTab() {
    const [help, tabs] = [document.querySelector("[data-help]"), document.getElementById("tabs")];
    if (!help || !tabs || !address.searchParams.has("tab")) return;
    const observer = new MutationObserver(() => {
      observer.disconnect();
      if (scrollY === 0) tabs.scrollIntoView();
    });
    observer.observe(help, { attributes: true, attributeFilter: ["disabled"] });
  }

  /** @param {URL} url of a file */
  async function save(url) {
    const reply = await ask(url);
    const name = reply.headers.get("Content-Disposition")?.match(/filename="(.+)"/)?.[1] ?? "attnscope";
    const link = document.createElement("a");
    Object.assign(link, { href: URL.createObjectURL(await reply.blob()), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000); // the browser has surely read it
  }

  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || link.protocol === "blob:") return;
    const url = new URL(link.href);
    if (url.origin !== address.origin) {
      link.target = "_blank"; // another site never opens in the frame
      link.rel = "noopener";
      return;
    }
    event.preventDefault();
    if (link.hasAttribute("download")) return void save(url);
    const here = url.pathname === address.pathname && url.search === address.search;
    if (here && url.hash) document.getElementById(url.hash.slice(1))?.scrollIntoView();
    else open(url);
  });
  document.addEventListener("submit", (event) => event.preventDefault());
  /** Says which trace is seen; the chips of the sentence name it. */
  function nameTrace() {
    const tokens = document.getElementById("tokens");
    if (!tokens) return;
    const observer = new MutationObserver(() => say({ kind: "seen", trace: tokens.dataset.trace ?? "" }));
    observer.observe(tokens, { attributes: true, attributeFilter: ["data-trace"] });
  }

  document.addEventListener("DOMContentLoaded", () => {
    showTab();
    nameTrace();
    // By its address the page knows whether the server has another version of it.
    const script = document.querySelector("script[type=module]");
    if (script) Object.defineProperty(script, "src", { value: new URL(entry, address).href });
  });

  return { run, load, take };
})();
