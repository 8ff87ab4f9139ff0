import { pageAddress } from "../core/page-address.js";
import { formatBytes } from "../lib/bytes.js";
import { fill, h } from "../lib/dom.js";
import { SendingRow } from "../models/sending-row.js";

/**
 * @typedef {{rows: (string | number)[][] | null} | {wrong: string, values?: Record<string, unknown>}} Named `wrong`:
 * message key; `rows`: null if the box is empty
 * @typedef {{batch: number, count: number, spare: number, ids: boolean}} Wanted `batch`: texts; `count`: tokens of the
 * longest text; `spare`: tokens allowed beyond `count`; `ids`: whether tokens are ids, not strings
 */

const ID = /^\s*\d+\s*$/;

/**
 * Reads JSON as in `jsonRows`; other text has one token per line.
 * @param {string} text @param {Wanted} wanted @returns {Named}
 */
export function namedTokens(text, { batch, count, spare, ids }) {
  if (!text.trim()) return ids ? { wrong: "capture.no_ids" } : { rows: null };
  const rows = jsonRows(text, ids) ?? [lines(text, ids)];
  if (rows.length !== batch) return { wrong: "capture.texts", values: { found: rows.length, batch } };
  if (ids && !rows.flat().every(Number.isSafeInteger)) return { wrong: "capture.no_ids" };
  const found = Math.max(...rows.map((row) => row.length));
  if (found < count || found > count + spare) return { wrong: "capture.count", values: { found, n: count } };
  return { rows };
}

/** @param {string} text @param {boolean} ids */
function lines(text, ids) {
  const found = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return ids ? found.map((line) => (ID.test(line) ? Number(line) : line)) : found;
}

/**
 * Null unless the text is a JSON list of tokens or of lists of tokens.
 * @param {string} text @param {boolean} ids @returns {(string | number)[][] | null}
 */
function jsonRows(text, ids) {
  const isToken = (/** @type {unknown} */ one) => typeof one === "string" || (ids && Number.isSafeInteger(one));
  const isRow = (/** @type {unknown} */ row) => Array.isArray(row) && row.length > 0 && row.every(isToken);
  try {
    const found = JSON.parse(text);
    if (isRow(found)) return [found];
    return Array.isArray(found) && found.length > 0 && found.every(isRow) ? found : null;
  } catch {
    return null;
  }
}

/** @typedef {{t: Store["t"], page: {limits: Record<string, number>}}} CaptureStore */
/** @typedef {{name: string, root: HTMLElement, box: HTMLTextAreaElement, read: () => Named, say: (sentence: string) => void}} Field */

let fieldCount = 0;

/** @typedef {(reply: {id: string, trace: string}) => void} Opened */

/**
 * @param {CaptureStore} store @param {import("./chosen-capture.js").Chosen} chosen
 * @param {Opened} [opened] called instead of opening Explore
 */
export function captureScreen(store, { title, files, capture, tokenizer }, opened) {
  const { t, page } = store;
  const { sizes, spare } = capture;
  const { n, m } = sizes;
  const ids = tokenizer !== null;
  const fields = [tokensField(store, "tokens", t("capture.tokens"), { ids, batch: sizes.batch, count: n, spare })];
  const keys = { ids, batch: sizes.batch, count: m, spare: 0 };
  if (m !== n) fields.push(tokensField(store, "context_tokens", t("capture.context_tokens"), keys));
  const error = h("p", { class: "error", role: "alert" });
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const fits = bytes <= page.limits.max_upload_bytes;
  const label = opened && t("capture.compare");
  const sending = new SendingRow(store, form, opened ?? explore, refuse, "captures", label);
  for (const { box } of fields) box.addEventListener("input", update);
  const heading = h("h2", { tabindex: "-1" }, title);
  const limits = { bytes: formatBytes(bytes), limit: formatBytes(page.limits.max_upload_bytes) };
  const root = h(
    "section",
    { class: "capture", "aria-label": title },
    heading,
    h("p", {}, t(m === n ? "capture.found" : "capture.found_cross", sizes)),
    fields.map((field) => field.root),
    !fits && h("p", { class: "error" }, t("capture.too_large", limits)),
    error,
    sending.root,
  );
  update();
  return { root, title: heading };

  function update() {
    let wrong = !fits;
    for (const field of fields) {
      const read = field.read();
      field.say("wrong" in read ? t(read.wrong, read.values) : "");
      wrong ||= "wrong" in read;
    }
    sending.send.disabled = wrong;
    fill(error);
  }

  function form() {
    const sent = new FormData();
    for (const file of files) sent.append("arrays", file);
    if (tokenizer) sent.append("tokenizer", tokenizer);
    sent.append("name", title);
    for (const field of fields) {
      const read = field.read();
      if ("rows" in read && read.rows) sent.append(field.name, JSON.stringify(read.rows));
    }
    return sent;
  }

  /** @param {Problem} problem */
  function refuse({ message, errors }) {
    const at = fields.find(({ name }) => errors.some((one) => one.at === name));
    if (at) at.say(message);
    else fill(error, message || t("problem.offline"));
    at?.box.focus();
  }
}

/**
 * @param {CaptureStore} store @param {string} name @param {string} label @param {Wanted} wanted
 * @returns {Field}
 */
function tokensField({ t }, name, label, wanted) {
  const id = `capture-about-${fieldCount++}`;
  const { ids, batch, count } = wanted;
  const one = ids ? "capture.ids_about" : "capture.tokens_about";
  const many = ids ? "capture.ids_batch" : "capture.tokens_batch";
  const about = t(batch > 1 ? many : one, { batch, count });
  const box = h("textarea", { rows: 6, spellcheck: "false", "aria-describedby": id });
  const error = h("span", { class: "error", role: "status" });
  const root = h(
    "div",
    { class: "field" },
    h("label", {}, h("span", {}, label), box),
    h("p", { class: "muted", id }, about, " ", error),
  );
  return {
    name,
    root,
    box,
    read: () => namedTokens(box.value, wanted),
    say(sentence) {
      if (error.textContent !== sentence) fill(error, sentence);
      box.toggleAttribute("aria-invalid", sentence !== "");
    },
  };
}

/** @param {{trace: string}} reply */
function explore({ trace }) {
  location.assign(pageAddress("/", { t: trace }));
}
