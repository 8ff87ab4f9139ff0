import { MATRICES, defaultModel, isCaptured, seesAll } from "../core/question.js";
import { h } from "../lib/dom.js";

/** Fields visible outside the menu are not counted. */
const VISIBLE_FIELDS =
  "text tokens x context context_tokens context_x pair breaks model causal scale temperature".split(" ");
const VISIBLE_MODEL_FIELDS = [
  ..."seed d_model num_heads name revision digest id task rate step".split(" "),
  ...MATRICES,
];

/** @param {Pick<Store, "page" | "t">} store @param {Pick<State, "question">} state */
export function changedText({ page, t }, { question }) {
  const { model } = question;
  const n =
    changed(question, page.defaults, VISIBLE_FIELDS) +
    changed(model, defaultModel(page, model.source), VISIBLE_MODEL_FIELDS);
  return n ? t("more.changed", { n }) : "";
}

/** @param {Record<string, any>} values @param {Record<string, any>} defaults @param {string[]} seen */
function changed(values, defaults, seen) {
  const text = (/** @type {any} */ value) => JSON.stringify(value ?? null);
  return Object.keys(values).filter((name) => !seen.includes(name) && text(values[name]) !== text(defaults[name]))
    .length;
}

let made = 0;

/** @param {HTMLElement} root @param {Store} store */
export function drawerIn(root, store) {
  const drawer = h("div", { class: "drawer", id: `drawer-${made++}` });
  const summary = h("button", {
    type: "button",
    class: "summary-line",
    "aria-controls": drawer.id,
    onclick: () => turn(!isOpen()),
  });
  const isOpen = () => drawer.classList.contains("open");
  root.append(summary, drawer);
  turn(false);
  drawer.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !isOpen()) return;
    turn(false);
    summary.focus();
    event.stopPropagation();
  });

  /** @param {boolean} open */
  function turn(open) {
    drawer.classList.toggle("open", open);
    summary.setAttribute("aria-expanded", String(open));
  }

  /** @param {State} state @param {State} [previous] */
  function update(state, previous) {
    const shown = /** @type {const} */ (["question", "answer", "upload", "status"]);
    if (!previous || shown.some((name) => state[name] !== previous[name]))
      summary.textContent = wordsOf(store, state).join(" · ");
  }

  return { summary, drawer, open: () => turn(true), update, destroy: () => root.replaceChildren() };
}

/** @param {Store} store @param {State} state */
function wordsOf(store, state) {
  const { t } = store;
  const { scale, temperature, context } = state.question;
  return [
    modelWords(store, state),
    sizeWords(store, state),
    context !== null && t("fold.context"),
    !isCaptured(state.question) && t(maskWord(store.page, state)),
    scale === "none" ? t("fold.unscaled") : typeof scale === "number" && `× ${scale}`,
    temperature !== 1 && t("fold.temperature", { temperature }),
    changedText(store, state),
  ].filter(Boolean);
}

/** @param {Store} store @param {State} state */
function modelWords({ t }, { question: { model }, upload }) {
  if (model.source === "uploaded" && upload?.id === model.id && upload?.name) return upload.name;
  return model.source === "installed" ? model.name : t(`fold.${model.source}`);
}

/** Numbers of layers and heads in the question, else in the answer. @param {Store} store @param {State} state */
function sizeWords({ t }, state) {
  const { model } = state.question;
  // Without files or after a refusal, the answer belongs to another model.
  const without = ["empty", "no_upload"].includes(state.status) || state.problem;
  const shape = without ? null : state.answer?.reply.shape;
  const layers = model.num_layers ?? shape?.num_layers;
  const heads = model.num_heads ?? shape?.num_heads;
  if (!layers || !heads) return "";
  // A decoder's answer has two layers per block.
  return t(model.block === "decoder" ? "fold.size.decoder" : "fold.size", { layers, heads });
}

/** @param {Page} page @param {State} state */
const maskWord = (page, { question }) => (seesAll(page, question) ? "fold.unmasked" : "choice.causal.causal");

/** @type {Promise<unknown>} */
let pendingFields = Promise.resolve();

/** @param {Promise<unknown>} fields */
export function expectFields(fields) {
  pendingFields = Promise.all([pendingFields, fields]);
}

export async function fieldsReady() {
  for (let last; last !== pendingFields;) {
    last = pendingFields;
    await last;
  }
}
