/** A page of the server in jsdom: opened at an address, used by role and label, with all that it requests. */

import { configure, within } from "@testing-library/dom";
import { userEvent } from "@testing-library/user-event";
import { JSDOM, VirtualConsole } from "jsdom";
import assert from "node:assert/strict";
import { addBrowserParts } from "./browser-parts.js";
import { SCRIPTS, moduleLoader, runPlain } from "./modules.js";

const ARRAYS = new URL("../../js/support/arrays.js", import.meta.url).href;
const server = process.env.ATTNSCOPE_URL;
if (!server) throw new Error("run by `python -m tests.js FILE`: there is no server to open pages of");
const short = (message) => Object.assign(new Error((message ?? "").split("\n\n")[0]), { name: "NotFound" });
const PATIENCE = 60_000; // ms
const LONGEST_PAUSE = 20; // ms between two looks
configure({ asyncUtilTimeout: PATIENCE, getElementError: short });

// The data of a page are 98 % of its HTML, and jsdom parses them letter by letter: they are put in afterwards.
const DATA = /^(.*?(?:id="page-data">|$))(.*?)((?:<\/script>.*)?)$/s;

/** @typedef {{url: string, path: string, method: string, body: any}} Asked path: without the origin */

export class Page {
  /** @type {Asked[]} */
  asked = [];
  /** @type {string[]} paths of the scripts that were imported later and have run */
  scripts = [];
  /** @type {string[]} errors and warnings of the page */
  complaints = [];
  /** @type {string[]} status and path of each reply that refused a request */
  refusals = [];
  /** @type {Set<Promise<unknown>>} replies that are still read */
  bodies = new Set();
  /** @type {Set<unknown>} requests without a reply, and scripts that have not run */
  coming = new Set();
  /** @type {{pattern: RegExp, reply: (asked: Asked) => any}[]} */
  routes = [];

  /** @type {number | undefined} pixels for a heatmap; few, where a test does not need the picture of every cell */
  heatmapSide;

  /** @param {{media?: string[], headers?: Record<string, string>, storage?: Record<string, string>}} [options] */
  constructor(options = {}) {
    this.options = options;
  }

  /**
   * Goes to an address: the scripts run, as after a click on a link.
   * @param {string} address path and query
   */
  async goto(address) {
    const { media = [], headers = {} } = this.options;
    this.window?.dispatchEvent(new this.window.Event("pagehide"));
    const storage = { ...this.options.storage, ...(this.window && { ...this.window.localStorage }) };
    const session = { ...(this.window && { ...this.window.sessionStorage }) };
    this.close();
    this.asked = [];
    this.scripts = [];
    this.coming = new Set();
    const { hash } = new URL(address, server);
    const reply = await fetch(server + address, { headers: { "Accept-Language": "en", ...headers } });
    const virtualConsole = new VirtualConsole();
    for (const kind of ["jsdomError", "error", "warn"])
      virtualConsole.on(kind, (...all) => this.complaints.push(all.map((each) => each?.stack ?? each).join(" ")));
    const options = { url: reply.url + hash, pretendToBeVisual: true, runScripts: "outside-only", virtualConsole };
    const [, before, data, after] = DATA.exec(await reply.text());
    this.dom = new JSDOM(before + after, options);
    this.window = this.dom.window;
    this.document = this.window.document;
    if (data) this.one("#page-data").textContent = data;
    Object.assign(this.window.localStorage, storage);
    Object.assign(this.window.sessionStorage, session);
    addBrowserParts(this.window, media, this.heatmapSide);
    this.window.fetch = (input, init) => this.fetch(input, init);
    this.user = userEvent.setup({ document: this.document, delay: null });
    if (this.document.readyState === "loading")
      await new Promise((resolve) => this.document.addEventListener("DOMContentLoaded", resolve, { once: true }));
    await this.runScripts();
    this.document.dispatchEvent(new this.window.Event("DOMContentLoaded")); // that of jsdom comes before the scripts
  }

  async runScripts() {
    const { coming, scripts, window } = this;
    const context = this.dom.getInternalVMContext();
    const load = moduleLoader(context, {
      coming: (path) => this.script(path),
      came: (path) => void (coming.delete(path), scripts.push(path)),
      left: () => this.window !== window,
    });
    runPlain(ARRAYS, context);
    for (const script of this.document.querySelectorAll("script[src]")) {
      const [, joined, name] = /\/(?:(joined)|js)\/(.+)$/.exec(script.src);
      const url = new URL(joined ? `pages/${name}` : name, SCRIPTS).href;
      if (script.type === "module") await load(url);
      else runPlain(url, context);
    }
  }

  /** Lets a route hold or lose a script that is imported later. @param {string} path */
  async script(path) {
    const { coming } = this;
    coming.add(path);
    try {
      const route = this.routes.findLast(({ pattern }) => pattern.test(path));
      const reply = await route?.reply({ url: path, path, method: "GET", body: null });
      if (reply && !reply.ok) throw new Error(`${reply.status} ${path}`);
    } catch (lost) {
      coming.delete(path);
      throw lost;
    }
  }

  reload() {
    return this.goto(this.address);
  }

  /** Leaves the window; its scripts run to their end, but get no reply and no turn. jsdom's own close() fails them. */
  close() {
    const { window } = this;
    if (!window) return;
    window.fetch = () => new Promise(() => undefined);
    for (const name of ["setTimeout", "setInterval", "requestAnimationFrame"]) window[name] = () => 0;
    this.dom = this.document = this.user = this.window = null;
    Promise.allSettled(this.bodies).then(() => setTimeout(() => window.close(), 300).unref());
  }

  /** The network as the page meets it. @param {any} input @param {any} init */
  async fetch(input, { signal, ...init } = {}) {
    const { coming, window } = this;
    const url = new URL(input.url ?? input, window.location.href);
    const body = typeof init.body === "string" ? JSON.parse(init.body) : init.body;
    const asked = { url: url.href, path: url.pathname + url.search, method: init.method ?? "GET", body };
    this.asked.push(asked);
    coming.add(asked);
    const controller = new AbortController();
    const abort = () => controller.abort(signal.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    try {
      const route = this.routes.findLast(({ pattern }) => pattern.test(asked.path));
      const reply =
        (await route?.reply(asked, controller.signal)) ?? (await fetch(url, { ...init, signal: controller.signal }));
      if (this.window !== window) return await this.drop(reply);
      if (reply.status >= 400) this.refusals.push(`${reply.status} ${asked.path}`);
      this.reads(reply);
      return reply;
    } finally {
      coming.delete(asked);
      signal?.removeEventListener("abort", abort);
    }
  }

  /**
   * A reply to a page that was left meanwhile: never given. Its body is ended, since one that nobody reads keeps node 18
   * from ending. @param {Response} reply @returns {Promise<never>}
   */
  async drop(reply) {
    await reply.body?.cancel();
    return new Promise(() => undefined);
  }

  /** Remembers a body until it has come: scripts go on with it, also those of a page that is left. @param {Response} reply */
  reads(reply) {
    if (reply.headers.get("Content-Type")?.startsWith("text/event-stream")) return;
    const body = reply.clone().arrayBuffer();
    this.bodies.add(body);
    body.catch(() => undefined).then(() => this.bodies.delete(body));
  }

  /**
   * Answers requests in place of the server; a script that is imported later is held until the reply is there.
   * @param {RegExp} pattern of the path
   * @param {(asked: Asked, signal: AbortSignal) => any} reply a Response; nothing where the server shall answer; an error is a lost connection
   */
  route(pattern, reply) {
    this.routes.push({ pattern, reply });
  }

  unroute() {
    this.routes = [];
  }

  /** Path, query and fragment. */
  get address() {
    const { pathname, search, hash } = this.window.location;
    return pathname + search + hash;
  }

  back() {
    this.window.history.back();
  }

  forward() {
    this.window.history.forward();
  }

  /** Queries by role, label and text (testing-library). @param {Element} [element] the whole page @returns {Record<string, any>} */
  in(element = this.document.body) {
    return within(element);
  }

  /** @param {string} selector @returns {any} the first element, or null */
  one(selector, root = this.document) {
    return root.querySelector(selector);
  }

  /** @param {string} selector @returns {any[]} */
  all(selector, root = this.document) {
    return [...root.querySelectorAll(selector)];
  }

  /** An element that comes. @param {string} selector @returns {Promise<any>} */
  see(selector, root = this.document) {
    return this.until(() => {
      const found = root.querySelector(selector);
      assert.ok(found?.checkVisibility(), `never seen: ${selector}`);
      return found;
    });
  }

  button(name, root) {
    return this.in(root).getByRole("button", { name });
  }

  /**
   * Waits until a function no longer throws. Looks again after pauses that grow, not after each change of the document:
   * a page that draws itself changes hundreds of times.
   * @template T @param {() => T} holds @returns {Promise<Awaited<T>>} what it returned
   */
  async until(holds) {
    const end = Date.now() + PATIENCE;
    for (let pause = 1; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      try {
        const found = await holds();
        await new Promise((resolve) => setTimeout(resolve)); // the script that made it true runs to its end
        return found;
      } catch (failure) {
        if (Date.now() > end) throw failure;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  /** Waits for what stays once it is there. @param {() => boolean} holds @param {string} never said where it does not come */
  rests(holds, never) {
    return this.until(() => assert.ok(holds(), never));
  }

  /** Waits until every reply and every script that was requested is there. */
  arrived() {
    return this.rests(() => !this.waits, "never arrived");
  }

  get waits() {
    return this.coming.size + this.bodies.size > 0;
  }

  /** Waits until the address has every part. @param {...string} parts */
  addressHas(...parts) {
    return this.until(() =>
      parts.forEach((part) => assert.ok(this.address.includes(part), `${this.address}: ${part}`)),
    );
  }

  /** Waits until the address has none of the parts. @param {...string} parts */
  addressLacks(...parts) {
    return this.until(() =>
      parts.forEach((part) => assert.ok(!this.address.includes(part), `${this.address}: ${part}`)),
    );
  }

  /** Presses an element once it is enabled. @param {any} element */
  async click(element) {
    await this.until(() => assert.ok(!element.matches(":disabled"), `never enabled: ${element.outerHTML}`));
    await this.user.click(element);
  }

  /** Puts a text in the place of what a field holds, as pasted: one event. @param {any} field @param {string} text */
  async fill(field, text) {
    field.focus();
    const { HTMLInputElement, HTMLTextAreaElement, InputEvent } = this.window;
    const { prototype } = field instanceof HTMLInputElement ? HTMLInputElement : HTMLTextAreaElement;
    Object.getOwnPropertyDescriptor(prototype, "value").set.call(field, text);
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    field.dispatchEvent(new this.window.Event("change", { bubbles: true }));
  }

  /** @param {any} select @param {string} value */
  async choose(select, value) {
    await this.until(() => assert.ok(!select.disabled, `never enabled: ${select.outerHTML}`));
    await this.user.selectOptions(select, value);
  }

  /**
   * The request that an act sends.
   * @param {() => any} act
   * @param {(asked: Asked) => boolean} matches
   */
  async request(act, matches) {
    const [asked, count] = [this.asked, this.asked.length];
    await act();
    return this.until(() => {
      const later = this.asked === asked ? asked.slice(count) : this.asked; // a page that is opened anew has its own
      const found = later.find(matches);
      assert.ok(found, `not requested; only ${later.map(({ path }) => path)}`);
      return found;
    });
  }

  /** What the server says, past the page: JSON. @param {string} path @param {object} [body] to be posted */
  async json(path, body) {
    const options = body && {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json" },
    };
    const reply = await fetch(server + path, options);
    assert.ok(reply.ok, await reply.clone().text());
    return reply.json();
  }
}

/**
 * Opens a page for one test, or for the tests of one suite; closes it after them and fails where it complained.
 * @template {Page} Kind
 * @param {{after: (clean: () => void) => void}} test
 * @param {Kind} page
 * @returns {Kind}
 */
export function kept(test, page) {
  test.after(() => {
    page.close();
    assert.deepEqual(page.complaints, []);
  });
  return page;
}
