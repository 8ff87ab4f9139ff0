/*
 * The widget in a cell: a frame with a page, and the channel between the frame and Python. Python answers the requests of
 * the page; what is selected on the page and what Python sets are kept equal.
 */

/**
 * @typedef {Object} Model as anywidget gives it
 * @property {(name: string) => any} get
 * @property {(name: string, value: any) => void} set
 * @property {() => void} save_changes
 * @property {(event: string, listener: (...given: any[]) => void) => void} on
 * @property {(event: string, listener: (...given: any[]) => void) => void} off
 * @property {(content: any, callbacks?: any, buffers?: ArrayBuffer[]) => void} send
 */

const PATIENCE = 10_000; // ms until a kernel that says nothing is called silent
const PIECE = 1 << 20; // bytes of a message: notebook servers cut longer ones
const SILENT =
  "The kernel does not answer: it is busy, or it was restarted. Wait for the running cell, or run this cell again.";
const GONE = "The kernel was restarted, or it ended: run this cell again.";
const SETTLED = 1000; // ms after which the style sheets of a new theme are there
const SELECTED = ["layer", "head", "stage", "row", "col", "tab"];
const STYLE = `
  .attnscope-view { position: relative; width: 100%; }
  .attnscope-view [hidden] { display: none; }
  .attnscope-view img { max-width: 100%; }
  .attnscope-view iframe:not([hidden]) { display: block; width: 100%; border: 0; color-scheme: normal; }
  .attnscope-view p { position: absolute; inset: 0 0 auto; z-index: 1; margin: 0; color: #1b2026; background: #fff3cd; padding: 6px 10px; font: 13px/1.5 system-ui, sans-serif; }
  .attnscope-view p:has(+ img:not([hidden])) { position: static; }
  .attnscope-view p:empty { display: none; }`;

/** Of an address, what Python calls the selection. @param {URLSearchParams} query */
function selectionOf(query) {
  const [stage, row, col] = query.get("cell")?.split(".") ?? [];
  const number = (/** @type {string | null | undefined} */ text) => (text ? Number(text) : 0);
  const cell = stage ? { stage, row: number(row), col: number(col) } : { stage: null, row: null, col: null };
  return {
    layer: number(query.get("layer")),
    head: number(query.get("head")),
    tab: query.get("tab") ?? "stages",
    ...cell,
  };
}

/** The address with a selection in it. @param {string} address @param {Record<string, any>} selection */
function withSelection(address, { layer, head, stage, row, col, tab }) {
  const url = new URL(address, "http://attnscope");
  const cell = row === null || col === null ? "" : `${stage ?? "weights"}.${row}.${col}`;
  for (const [name, text] of Object.entries({
    layer: layer || "",
    head: head || "",
    cell,
    tab: tab === "stages" ? "" : tab,
  }))
    if (text === "") url.searchParams.delete(name);
    else url.searchParams.set(name, String(text));
  return url.pathname + url.search + url.hash;
}

/** Whether what is behind an element is dark; without a colour, whether the browser is. @param {Element} element */
function isDark(element) {
  const { jpThemeLight } = document.body.dataset; // of JupyterLab: its colours come a moment later
  if (jpThemeLight !== undefined) return jpThemeLight === "false";
  for (let at = /** @type {Element | null} */ (element); at; at = above(at)) {
    const [r, g, b, alpha] = channelsOf(getComputedStyle(at).backgroundColor);
    if (alpha > 127) return 0.2126 * r + 0.7152 * g + 0.0722 * b < 128;
  }
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Red, green, blue and opacity of a colour, however it is written, 0 to 255. @param {string} color */
function channelsOf(color) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [1, 1];
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  return context.getImageData(0, 0, 1, 1).data;
}

/** @param {Element} element */
function above(element) {
  const root = element.getRootNode();
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}

class View {
  /** @param {Model} model @param {HTMLElement} root */
  constructor(model, root) {
    this.model = model;
    this.root = root;
    this.id = crypto.getRandomValues(new Uint32Array(2)).join("-"); // another tab shows the same widget
    this.frame = document.createElement("iframe");
    this.notice = document.createElement("p");
    this.notice.setAttribute("role", "status");
    const style = document.createElement("style");
    style.textContent = STYLE;
    this.frame.title = "attnscope";
    this.frame.setAttribute("sandbox", "allow-scripts allow-forms allow-downloads allow-popups allow-modals");
    this.frame.allow = "clipboard-write; fullscreen";
    this.root.classList.add("attnscope-view");
    // What is seen until the page has come, and where no kernel ever answers.
    this.still = document.createElement("img");
    this.still.alt = "attnscope";
    this.frame.hidden = true;
    this.root.replaceChildren(style, this.notice, this.still, this.frame);
    /** @type {MessagePort | null} */
    this.port = null;
    this.address = "";
    this.dark = false;
    /** @type {Map<string, {timer: number, heard: (message: any) => void}>} */
    this.asked = new Map();
    this.pages = 0;
    this.listen();
    this.resize();
    this.drawStill();
    this.begin();
  }

  /** Opens the page once the cell is in the document: before, it has no background. */
  begin(frames = 60) {
    if (!this.root.isConnected && frames > 0) return requestAnimationFrame(() => this.begin(frames - 1));
    this.dark = isDark(this.root);
    return this.open(this.model.get("address"));
  }

  listen() {
    /** @type {[string, (...given: any[]) => void][]} */
    this.listeners = [
      ["msg:custom", (message, buffers) => this.replied(message, buffers)],
      ["change:height", () => this.resize()],
      ["change:still", () => this.drawStill()],
      ["comm_live_update", () => void (this.notice.textContent = GONE)], // Jupyter: the kernel restarts
      .../** @type {[string, () => void][]} */ (SELECTED.map((name) => [`change:${name}`, () => this.changed()])),
    ];
    for (const [event, listener] of this.listeners) this.model.on(event, listener);
    this.theme = new MutationObserver(() => {
      this.tellTheme();
      setTimeout(() => this.tellTheme(), SETTLED);
    });
    const attributeFilter = ["class", "style", "theme", "data-theme", "data-jp-theme-light"];
    for (const each of [document.documentElement, document.body])
      this.theme.observe(each, { attributes: true, attributeFilter });
  }

  destroy() {
    for (const [event, listener] of this.listeners ?? []) this.model.off(event, listener);
    this.theme?.disconnect();
    for (const { timer } of this.asked.values()) clearTimeout(timer);
    this.port?.close();
  }

  resize() {
    this.frame.style.height = `${this.model.get("height")}px`;
  }

  drawStill() {
    const svg = this.model.get("still");
    this.still.hidden = !svg || !this.frame.hidden;
    if (svg) this.still.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  }

  tellTheme() {
    this.dark = isDark(this.root);
    this.port?.postMessage({ kind: "dark", dark: this.dark });
  }

  // Python

  /**
   * Sends a request, a piece of its body after the other.
   * @param {string} id
   * @param {any} request
   * @param {ArrayBuffer | null} body
   * @param {(message: any) => void} heard
   */
  ask(id, request, body, heard) {
    const timer = setTimeout(() => (this.notice.textContent ||= SILENT), PATIENCE);
    this.asked.set(id, { timer, heard });
    for (let at = 0; body && at < body.byteLength; at += PIECE)
      this.send({ kind: "body", id }, [body.slice(at, at + PIECE)]);
    this.send({ ...request, id });
  }

  /** @param {any} content @param {ArrayBuffer[]} [buffers] */
  send(content, buffers) {
    try {
      this.model.send(content, undefined, buffers);
    } catch {
      this.notice.textContent = GONE; // nobody listens any more
    }
  }

  /** @param {any} message @param {DataView[]} [buffers] */
  replied(message, buffers = []) {
    const one = this.asked.get(message?.id);
    if (!one) return; // of another view
    clearTimeout(one.timer);
    if ([SILENT, GONE].includes(this.notice.textContent ?? "")) this.notice.textContent = "";
    if (message.kind !== "reply") return;
    if (!message.more) this.asked.delete(message.id);
    const [piece] = buffers;
    const bytes = piece ? new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength).slice().buffer : null;
    one.heard({ ...message, bytes });
  }

  // The page

  /** @param {string} address */
  open(address) {
    const id = `${this.id}.page${++this.pages}`;
    this.address = address;
    /** @type {ArrayBuffer[]} */
    const parts = [];
    const page = { kind: "page", target: address, dark: this.dark, language: navigator.languages.join(", ") };
    this.ask(id, { ...page, version: this.model.get("version") }, null, ({ bytes, more, failed }) => {
      if (failed) this.notice.textContent = failed;
      if (bytes) parts.push(bytes);
      if (!more && !failed && id.endsWith(`.page${this.pages}`)) new Blob(parts).text().then((html) => this.draw(html));
    });
  }

  /** @param {string} html */
  draw(html) {
    this.port?.close();
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    port1.onmessage = ({ data }) => this.heard(data);
    // The frame has no origin that could be named.
    this.frame.onload = () => this.frame.contentWindow?.postMessage("attnscope", "*", [port2]);
    this.frame.srcdoc = html;
    this.frame.hidden = false;
    this.still.hidden = true;
  }

  /** @param {any} message of the page */
  heard({ kind, id, target, body, ...request }) {
    const own = `${this.id}.${this.pages}.${id}`;
    if (kind === "open") this.open(target);
    else if (kind === "moved") this.moved(target);
    else if (kind === "seen") this.keep({ seen: request.trace });
    else if (kind === "abort") {
      this.asked.delete(own);
      this.send({ kind, id: own });
    } else if (kind === "ask") {
      const { port } = this;
      this.ask(own, { kind, target, ...request }, body, (reply) => port?.postMessage({ ...reply, id }));
    }
  }

  // The selection

  /** @param {string} target where the page is */
  moved(target) {
    this.address = target;
    const { pathname, searchParams } = new URL(target, "http://attnscope");
    const isExplore = pathname === "/" && !searchParams.has("t");
    this.keep({ address: target, ...(isExplore && selectionOf(searchParams)) });
  }

  /** Lets Python know. @param {Record<string, any>} values */
  keep(values) {
    for (const [name, value] of Object.entries(values)) this.model.set(name, value);
    try {
      this.model.save_changes();
    } catch {
      this.notice.textContent = GONE;
    }
  }

  /** Shows what Python selects; several values that change together are one step. */
  changed() {
    if (this.waits) return;
    this.waits = true;
    queueMicrotask(() => {
      this.waits = false;
      const target = withSelection(
        this.address,
        Object.fromEntries(SELECTED.map((name) => [name, this.model.get(name)])),
      );
      const { pathname, searchParams } = new URL(this.address, "http://attnscope");
      if (pathname !== "/" || target === withSelection(this.address, selectionOf(searchParams))) return;
      if (!this.port) return this.open(target); // the page is still on its way
      this.address = target;
      this.port.postMessage({ kind: "go", target });
    });
  }
}

export default {
  /** @param {{model: Model, el: HTMLElement}} given */
  render({ model, el }) {
    const view = new View(model, el);
    return () => view.destroy();
  },
};
