/** What can be taken away: links, the picture of a stage, its numbers, a page, and programs. */

import { Problem, fileOf, nameOf } from "../data/api.js";
import { drawn, has } from "../data/page.js";
import { bodyOf } from "../data/question.js";
import { curl, exportOf, fullLink, python, shortLink } from "../data/sharing.js";
import { fill, h } from "../lib/dom.js";
import { rastered } from "../lib/svg.js";
import { figureOf } from "./figure.js";
import { labelOf } from "./words.js";

/** @typedef {import("../data/state.js").Store} Store */
/** @typedef {import("../lib/dom.js").Child} Child */

const FORMATS = { csv: "CSV", json: "JSON", npz: ".npz", safetensors: ".safetensors" };
const DENSITY = 3; // pixels of the PNG to one of the drawing

/**
 * What the sections of the dialog share: the stage they speak of, and the line that tells how it went.
 * @typedef {Object} Desk
 * @property {Store} store
 * @property {() => string} stage
 * @property {(text: string) => Promise<void>} copy
 * @property {(work: () => Promise<void>) => Promise<void>} trying
 */

/** @typedef {{root: HTMLElement, show: () => void}} Section */

/** @param {string} text @param {() => void} onclick */
const button = (text, onclick) => h("button", { type: "button", class: "button", onclick }, text);

/** @param {string} text @param {Child} control */
const labelled = (text, control) => h("label", { class: "field" }, h("span", {}, text), control);

/** @param {...(Child | Child[])} inside */
const row = (...inside) => h("div", { class: "fields" }, ...inside);

/** @param {Desk} desk @param {string} name @param {...(Child | Child[])} inside */
const section = ({ store: { t } }, name, ...inside) =>
  h("section", { class: name }, h("h3", {}, t(`share.${name}`)), ...inside);

/** @param {Desk} desk a name for the question, so that its trace can be asked for */
const named = ({ store }) => nameOf(bodyOf(store.get().question));

/**
 * Hands a file to the reader.
 * @param {Blob} blob
 * @param {string} name
 */
function save(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * The picture, as it will be, and its two files.
 * @param {Desk} desk
 * @returns {Section}
 */
function picture(desk) {
  const { store, stage } = desk;
  const { t } = store;
  const title = h("input", { type: "text", oninput: draw });
  const numbers = h("input", { type: "checkbox", onchange: draw });
  const preview = h("img", { class: "preview", alt: "" });
  /** @type {ReturnType<typeof figureOf>} */
  let drawn = null;

  function draw() {
    const label = labelOf(store, stage());
    title.placeholder = label;
    drawn = figureOf(store, stage(), { title: title.value, numbers: numbers.checked });
    if (!drawn) return;
    URL.revokeObjectURL(preview.src);
    preview.src = URL.createObjectURL(vector(drawn));
    preview.alt = t("share.preview", { stage: label });
  }

  /** @param {"svg" | "png"} kind */
  async function take(kind) {
    const { answer, view } = store.get();
    if (!drawn || !answer) return;
    const place = `layer${view.layer}-head${view.head}`;
    const name = `attnscope-${answer.reply.trace.slice(0, 8)}-${stage()}-${place}.${kind}`;
    save(kind === "svg" ? vector(drawn) : await rastered(drawn, DENSITY), name);
  }

  const root = section(
    desk,
    "picture",
    preview,
    row(
      labelled(t("share.caption"), title),
      h("label", { class: "field" }, numbers, t("share.numbers_in")),
    ),
    row(
      button("SVG", () => take("svg")),
      button("PNG", () => take("png")),
    ),
  );
  return { root, show: draw };
}

/** @param {{svg: string}} drawn */
const vector = ({ svg }) => new Blob([svg], { type: "image/svg+xml" });

/** @param {Desk} desk @returns {Section} */
function links(desk) {
  const { store, copy, trying } = desk;
  const { t, page } = store;
  const [full, brief] = ["full", "short"].map((name) => {
    const input = h("input", { type: "text", readonly: true, onfocus: () => input.select() });
    const press = button(t("share.copy"), () => copy(input.value));
    press.setAttribute("aria-label", `${t("share.copy")}: ${t(`share.${name}`)}`);
    const field = labelled(t(`share.${name}`), input);
    return { input, press, root: h("div", { class: "copy" }, field, press) };
  });
  return {
    root: section(desk, "links", full.root, brief.root),
    show() {
      full.input.value = fullLink(store.get(), page);
      brief.input.value = "";
      brief.press.disabled = true;
      trying(async () => {
        brief.input.value = shortLink(store.get(), await named(desk), page);
        brief.press.disabled = false;
      });
    },
  };
}

/** Numbers as files, and as a page of their own. @param {Desk} desk @returns {HTMLElement[]} */
function files(desk) {
  const { store, stage, trying } = desk;
  const { t } = store;
  const extent = h(
    "select",
    {},
    ["head", "stage", "all"].map((word) => h("option", { value: word }, t(`share.extent.${word}`))),
  );
  /** @param {string} format */
  const take = (format) =>
    trying(async () => {
      const { layer, head } = store.get().view;
      const whole = extent.value === "all" || format === "html";
      /** @type {Record<string, string | number>} */
      const choice = whole ? { format } : { format, stages: stage() };
      if (!whole && extent.value === "head") Object.assign(choice, { layer, head });
      const { blob, name } = await fileOf(exportOf(await named(desk), choice));
      save(blob, name);
    });
  const buttons = Object.entries(FORMATS).map(([format, name]) => button(name, () => take(format)));
  return [
    section(desk, "numbers", row(labelled(t("share.extent"), extent)), row(buttons)),
    section(desk, "page", h("p", { class: "muted" }, t("share.page_about")), row(button("HTML", () => take("html")))),
  ];
}

/** @param {Desk} desk */
function programs(desk) {
  const { store, stage, copy } = desk;
  const { t } = store;
  return section(
    desk,
    "code",
    h("p", { class: "muted" }, t("share.code_about")),
    row(
      button(t("share.curl"), () => copy(curl(store.get(), stage()))),
      button(t("share.python"), () => copy(python(store.get(), stage(), store.page))),
    ),
  );
}

/**
 * Puts a text on the clipboard; where the address is not secure there is none, and a selection serves.
 * @param {HTMLElement} near
 * @param {string} text
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
 * @param {HTMLDialogElement} dialog
 * @param {Store} store
 * @returns {(stage: string) => void} opens the dialog on a stage
 */
export function takeaway(dialog, store) {
  const { t, page } = store;
  const told = h("p", { class: "told", role: "status" });
  const stage = h("select", { onchange: () => shown[0].show() });
  /** @type {Desk} */
  const desk = {
    store,
    stage: () => stage.value,
    async copy(text) {
      await toClipboard(dialog, text);
      told.textContent = t("share.copied");
    },
    async trying(work) {
      told.textContent = t("share.working");
      told.classList.remove("error");
      try {
        await work();
        told.textContent = "";
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        told.textContent = error.message || t("problem.offline");
        told.classList.add("error");
      }
    },
  };
  const shown = [picture(desk), links(desk)];
  const close = h("button", { class: "close", onclick: () => dialog.close(), "aria-label": t("dialog.close") }, "✕");
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  fill(
    dialog,
    h("header", {}, h("h2", {}, t("share.title")), labelled(t("share.stage"), stage), told, close),
    h("div", { class: "columns" }, shown[0].root, h("div", {}, shown[1].root, files(desk), programs(desk))),
  );
  return (name) => {
    const all = drawn(page).filter((each) => has(store.get().answer, each.name));
    fill(stage, all.map((each) => h("option", { value: each.name }, labelOf(store, each.name))));
    stage.value = all.some((each) => each.name === name) ? name : "weights";
    dialog.showModal();
    for (const { show } of shown) show();
  };
}
