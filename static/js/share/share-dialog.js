import { Problem } from "../core/api.js";
import { fileOf } from "../core/file-of.js";
import { fetchTrace } from "../core/traces.js";
import { stagesOn, has } from "../core/page.js";
import { bodyOf } from "../core/question.js";
import { windowsOf } from "../core/token-windows.js";
import { shortLink } from "../core/address/short-link.js";
import { refusalWords } from "../core/refusal-words.js";
import { isAsking, isLong } from "../core/state.js";
import { curl, exportOf, frameCode, fullLink, noteOf, python } from "./links-and-programs.js";
import { skipOf } from "../core/left-out-keys.js";
import { mergingOf } from "../core/word-lens.js";
import { ofWeights, storeInWords } from "../core/in-words.js";
import { fill, h } from "../lib/dom.js";
import { saveFile } from "../lib/save-file.js";
import { makeSelect, setOptions } from "../lib/select.js";
import { selectOnFocus } from "../lib/select-on-focus.js";
import { rastered } from "./vector-figure.js";
import { combinedTitle, fileNameOf, combinedLoader, combinedPath, combinedQuery } from "./combined-map-file.js";
import { figureOf } from "./stage-figure.js";
import { labelOf } from "../matrix/names.js";

const FORMATS = { csv: "CSV", json: "JSON", npz: ".npz", safetensors: ".safetensors" };
const NAMED = 48; // most token names per axis of a long text
const TOGETHER = "together"; // option for the combined map, which is no stage
const DENSITY = 3; // PNG pixels per CSS pixel

/**
 * `source`: store of words if the picture shows words, else of pieces. `together`: query of the combined map.
 * @typedef {{store: Store, stage: () => string, source: () => Store,
 * together: () => import("./combined-map-file.js").Query | null, copy: (text: string) => Promise<void>,
 * trying: (work: () => Promise<void>) => Promise<void>}} Desk
 */

/** @typedef {{root: HTMLElement, show: () => void}} Section */

const SHOWN = /** @type {const} */ (["question", "view", "answer", "status"]);

/** @param {string} text @param {() => void} onclick */
const button = (text, onclick) => h("button", { type: "button", class: "button", onclick }, text);

/** @param {string} text @param {Child} control */
const labelled = (text, control) => h("label", { class: "field" }, h("span", {}, text), control);

/** @param {...(Child | Child[])} inside */
const row = (...inside) => h("div", { class: "fields" }, ...inside);

/** @param {Desk} desk @param {string} name @param {...(Child | Child[])} inside */
const section = ({ store: { t } }, name, ...inside) =>
  h("section", { class: name }, h("h3", {}, t(`share.${name}`)), ...inside);

/** @param {Desk} desk */
const traceName = ({ store }) => fetchTrace(bodyOf(store.get().question));

/** @param {Desk} desk */
function picture(desk) {
  const { store, stage } = desk;
  const { t } = store;
  const title = h("input", { type: "text", maxlength: 200, oninput: draw });
  const numbers = h("input", { type: "checkbox", onchange: draw });
  const preview = h("div", { class: "preview", role: "img" });
  const paper = preview.attachShadow({ mode: "open" }); // keeps the page's styles out
  /** @type {ReturnType<typeof figureOf>} */
  let drawn = null;
  const together = combinedLoader(desk, draw);

  function draw() {
    const label = labelOf(store, stage());
    title.placeholder = label;
    const seen = together();
    const here = seen || !desk.together();
    drawn = here ? figureOf(desk.source(), stage(), { title: title.value, numbers: numbers.checked, seen }) : null;
    if (!drawn) return paper.replaceChildren();
    numbers.disabled = !drawn.few;
    // Not <img>: Chromium crashes if an image's document is dropped during layout.
    paper.replaceChildren(svgOf(drawn));
    preview.setAttribute("aria-label", t("share.preview", { stage: label }));
  }

  /** @param {"svg" | "png"} kind */
  async function take(kind) {
    const { answer, view } = store.get();
    if (!drawn || !answer) return;
    const place = fileNameOf(desk.together(), store.get()) ?? `${stage()}-layer${view.layer}-head${view.head}`;
    const name = `attnscope-${answer.reply.trace.slice(0, 8)}-${place}.${kind}`;
    saveFile(kind === "svg" ? vector(drawn) : await rastered(drawn, DENSITY), name);
  }

  function show() {
    const { n, m } = /** @type {NonNullable<ReturnType<typeof store.get>["answer"]>} */ (store.get().answer).reply
      .shape;
    for (const [axis, size] of /** @type {const} */ ([
      ["query", n],
      ["key", m],
    ])) {
      const places = Array.from({ length: NAMED }, (_, at) => Math.floor((at * size) / NAMED));
      windowsOf(store).wantEach("figure", axis, places);
    }
    draw();
  }

  const root = section(
    desk,
    "picture",
    preview,
    row(labelled(t("share.caption"), title), h("label", { class: "field" }, numbers, t("share.numbers_in"))),
    row(
      button("SVG", () => take("svg")),
      button("PNG", () => take("png")),
    ),
  );
  return { root, show };
}

/** Fills its container. @param {{svg: string}} drawn */
function svgOf({ svg }) {
  const { documentElement } = new DOMParser().parseFromString(svg, "image/svg+xml");
  for (const side of ["width", "height"]) documentElement.removeAttribute(side);
  documentElement.setAttribute("part", "figure");
  documentElement.setAttribute("aria-hidden", "true"); // its container has a label
  return document.importNode(documentElement, true);
}

/** @param {{svg: string}} drawn */
const vector = ({ svg }) => new Blob([svg], { type: "image/svg+xml" });

/** @param {Desk} desk @param {string} name */
function copyField({ store: { t }, copy }, name) {
  const input = h("input", { type: "text", readonly: true });
  selectOnFocus(input);
  const press = button(t("share.copy"), () => copy(input.value));
  press.setAttribute("aria-label", `${t("share.copy")}: ${t(`share.${name}`)}`);
  return { input, press, root: h("div", { class: "copy" }, labelled(t(`share.${name}`), input), press) };
}

/** @param {Desk} desk */
function links(desk) {
  const { store, trying } = desk;
  const { page } = store;
  const [full, brief] = ["full", "short"].map((name) => copyField(desk, name));
  const note = h("p", { class: "muted", id: "link-note" });
  full.input.setAttribute("aria-describedby", note.id);
  return {
    root: section(desk, "links", full.root, brief.root, note),
    show() {
      full.input.value = fullLink(store.get(), page);
      const key = noteOf(store.get(), full.input.value);
      note.textContent = key ? store.t(key, { n: full.input.value.length }) : "";
      note.hidden = !key;
      brief.input.value = "";
      brief.press.disabled = true;
      const { question } = store.get();
      trying(async () => {
        const name = await traceName(desk);
        if (store.get().question !== question) return;
        brief.input.value = shortLink(store.get(), name, page);
        brief.press.disabled = false;
      });
    },
  };
}

/** @param {Desk} desk */
function frame(desk) {
  const { store, stage } = desk;
  const { t, page } = store;
  const code = copyField(desk, "html");
  const sources = { "'none'": t("share.frame_none"), "*": t("share.frame_any"), "'self'": t("share.frame_self") };
  const pages = page.frame_ancestors.split(" ").map((one) => sources[/** @type {keyof sources} */ (one)] ?? one);
  const words = t("share.frame_about", { pages: pages.join(", "), setting: "ATTNSCOPE_FRAME_ANCESTORS" });
  const about = h("p", { class: "muted", id: "frame-about" }, words);
  for (const each of [code.input, code.press]) each.setAttribute("aria-describedby", about.id);
  return {
    root: section(desk, "frame", about, code.root),
    show() {
      const title = t("share.frame_title", { stage: labelOf(store, stage()) });
      code.input.value = frameCode(store.get(), stage(), title, page);
    },
  };
}

const WHOLE = ["html", "py"]; // formats of the whole trace

/** @param {Desk} desk @param {HTMLButtonElement[]} buttons */
function shortOnly({ store }, buttons) {
  const about = h("p", { class: "muted" });
  return {
    root: about,
    show() {
      const long = isLong(store.get());
      about.hidden = !long;
      about.textContent = long ? store.t("share.long") : "";
      for (const button of buttons) {
        button.disabled = long;
        button.title = long ? store.t("long.short") : "";
      }
    },
  };
}

/** @param {Blob} page @param {{layer: number, head: number}} view */
async function withOpenHead(page, { layer, head }) {
  const text = (await page.text()).replace("<html ", `<html data-layer="${layer}" data-head="${head}" `);
  return new Blob([text], { type: page.type });
}

/** @param {Desk} desk */
function files(desk) {
  const { store, stage, trying } = desk;
  const { t } = store;
  const extent = h("select");
  /** @param {string} format */
  const take = (format) =>
    trying(async () => {
      const { layer, head } = store.get().view;
      const query = desk.together();
      const seen = desk.source().get();
      const merging = mergingOf(seen);
      const skip = /** @type {{left?: number[]} | null} */ (seen.answer)?.left?.join("_"); // left out in the picture
      if (query && extent.value === "head" && !WHOLE.includes(format)) {
        const { blob, name } = await fileOf(combinedPath(await traceName(desk), { ...query, ...merging, format }));
        return saveFile(blob, name);
      }
      const whole = extent.value === "all" || WHOLE.includes(format);
      /** @type {Record<string, string | number>} */
      const choice = whole ? { format } : { format, stages: stage(), ...merging, ...(skip && { skip }) };
      if (!whole && extent.value === "head") Object.assign(choice, { layer, head });
      const { blob, name } = await fileOf(exportOf(await traceName(desk), choice));
      saveFile(format === "html" ? await withOpenHead(blob, store.get().view) : blob, name);
    });
  const numbers = Object.entries(FORMATS).map(([format, name]) => button(name, () => take(format)));
  const [html, numpy] = [button("HTML", () => take("html")), button("numpy", () => take("py"))];
  const note = (/** @type {string} */ key) => h("p", { class: "muted" }, t(key));

  function show() {
    const map = desk.together() && combinedTitle(store, store.get());
    const named = (/** @type {string} */ word) =>
      word === "head" && map ? t("share.extent.together", { map }) : t(`share.extent.${word}`);
    setOptions(extent, ["head", "stage", "all"], extent.value || "head", named);
  }
  const roots = [
    section(desk, "numbers", row(labelled(t("share.extent"), extent)), row(numbers)),
    section(desk, "page", note("share.page_about"), row(html)),
    section(desk, "program", note("share.program_about"), row(numpy)),
  ];
  return { roots, show, buttons: [...numbers, html, numpy] };
}

/** @param {Desk} desk */
function computedRequest({ store, stage, source, together }) {
  const { answer, view } = store.get();
  const query = together();
  const seen = source().get();
  const traced = answer && answer.reply.trace;
  if (!traced || (!query && seen.answer === answer)) return null;
  if (query) return { path: combinedPath(traced, { ...query, ...mergingOf(seen) }), name: "weights" };
  const { batch, layer, head } = view;
  const skip = skipOf(seen);
  const place = { layer: `${layer}`, head: `${head}`, batch: `${batch}`, ...mergingOf(seen), ...(skip && { skip }) };
  return { path: `/api/v1/traces/${traced}/stages/${stage()}?${new URLSearchParams(place)}`, name: "values" };
}

/** @param {Desk} desk */
function programs(desk) {
  const { store, stage, copy } = desk;
  const { t } = store;
  const buttons = [
    button(t("share.curl"), () => copy(curl(store.get(), stage(), computedRequest(desk)))),
    button(t("share.python"), () => copy(python(store.get(), stage(), store.page, computedRequest(desk)))),
  ];
  const about = h("p", { class: "muted" }, t("share.code_about"));
  return { root: section(desk, "code", about, row(buttons)), buttons, show: () => undefined };
}

/**
 * Copies a selection if the context is not secure, which disables the clipboard API.
 * @param {HTMLElement} near @param {string} text
 */
async function toClipboard(near, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const box = h("textarea", { class: "hidden" }, text);
    near.append(box);
    box.select();
    document.execCommand("copy");
    box.remove();
  }
}

/**
 * @param {Store} store @param {HTMLDialogElement} dialog
 * @param {{stage: HTMLSelectElement, notice: HTMLElement, columns: HTMLElement}} parts @returns {Desk}
 */
function deskOf(store, dialog, { stage, notice, columns }) {
  const { t } = store;
  return {
    store,
    stage: () => (stage.value === TOGETHER ? "weights" : stage.value),
    source: () =>
      stage.value === TOGETHER || stage.value === "weights" ? storeInWords(store, undefined, ofWeights) : store,
    together: () => (stage.value === TOGETHER ? combinedQuery(store.get()) : null),
    async copy(text) {
      await toClipboard(dialog, text);
      notice.textContent = t("share.copied");
    },
    async trying(work) {
      notice.textContent = t("share.working");
      notice.classList.remove("error");
      try {
        await work();
        if (!columns.inert) notice.textContent = "";
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        notice.textContent = refusalWords(store, error, "share.too_large");
        notice.classList.add("error");
      }
    },
  };
}

/** @param {HTMLDialogElement} dialog @param {Store} store @returns {(stage: string) => void} */
export function shareDialog(dialog, store) {
  const { t, page } = store;
  const notice = h("p", { class: "status", role: "status" });
  let chosen = "weights";
  const stage = makeSelect((name) => {
    chosen = name;
    [drawing, framed, own, code].forEach(({ show }) => show());
  });
  const columns = h("div", { class: "columns" });
  const desk = deskOf(store, dialog, { stage, notice, columns });
  const drawing = picture(desk);
  const addresses = links(desk);
  const framed = frame(desk);
  const own = files(desk);
  const code = programs(desk);
  const short = shortOnly(desk, [...own.buttons, ...code.buttons]);
  own.roots[0].firstElementChild?.after(short.root);
  const close = h("button", { class: "close", onclick: () => dialog.close(), "aria-label": t("dialog.close") }, "✕");
  fill(columns, drawing.root, h("div", {}, addresses.root, own.roots, framed.root, code.root));
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  const header = h("header", {}, h("h2", {}, t("share.title")), labelled(t("share.stage"), stage), notice, close);
  fill(dialog, header, columns);

  function show() {
    const { answer, status } = store.get();
    columns.inert = stage.disabled = status !== "ready";
    notice.classList.toggle("error", status === "failed");
    notice.textContent = isAsking({ status }) ? t("share.waiting") : columns.inert ? t("share.without") : "";
    if (columns.inert) return;
    const names = stagesOn(page)
      .filter((each) => has(answer, each.name))
      .map((each) => each.name);
    if (combinedQuery(store.get())) names.unshift(TOGETHER);
    const called = (/** @type {string} */ each) =>
      each === TOGETHER ? combinedTitle(store, store.get()) : labelOf(store, each);
    setOptions(stage, names, names.includes(chosen) ? chosen : "weights", called);
    for (const { show } of [drawing, addresses, framed, own, code, short]) show();
  }

  store.subscribe((state, previous) => {
    if (!dialog.open) return;
    if (SHOWN.some((key) => state[key] !== previous[key])) show();
    else if (state.named !== previous.named) drawing.show();
  });
  return (name) => {
    chosen = name === "weights" && combinedQuery(store.get()) ? TOGETHER : name;
    if (!dialog.open) dialog.showModal(); // already open after two clicks while this script loaded
    show();
  };
}
