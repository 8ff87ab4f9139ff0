import { installedOf, isCausal, sizesOf } from "./page.js";

const READ = 20_000; // characters; token counts of longer texts are estimated

export const MATRICES = ["w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o"];

/** Masks that apply only within one text, each with the value that turns it off. */
export const ONE_TEXT = { causal: false, window: null, global_tokens: 0, stride: null, block_size: null, prefix: 0 };

/** @param {Page} page */
export const defaultQuestion = (page) => asQuestion(page, {});

/** The question of a request body; missing fields get defaults. @param {Page} page @param {Record<string, any>} body */
export function asQuestion(page, body) {
  const all = /** @type {Record<string, any>} */ ({ ...page.defaults, ...body });
  const question = Object.fromEntries(Object.keys(page.defaults).map((field) => [field, all[field]]));
  const model = { ...defaultModel(page, body.model?.source ?? "seeded"), ...body.model };
  const breaks = [all.text, all.context, all.pair].flat().some((each) => String(each).includes("\n"));
  const boxOf = (/** @type {string | string[]} */ texts) => [texts].flat().join(separator(breaks));
  const text = body.x || body.tokens ? "" : boxOf(all.text);
  const context = hasContext(all) ? boxOf(all.context ?? "") : null;
  const pair = all.pair && boxOf(all.pair);
  return /** @type {Question} */ ({ ...question, text, context, pair, breaks, model });
}

/**
 * Explicit matrices are identities, so that q = k = v = x. The installed model has the page's language, if possible.
 * @param {Page} page @param {string} source @returns {Model}
 */
export function defaultModel(page, source) {
  const { installed, lang } = page;
  const identity = [0, 1, 2, 3].map((row) => [0, 1, 2, 3].map((col) => Number(row === col)));
  /** @type {Record<string, Record<string, unknown>>} */
  const starts = {
    explicit: { w_q: identity, w_k: identity, w_v: identity },
    crafted: { name: page.choices.crafted[0] },
    uploaded: { id: "" },
    installed: { name: (installed.find(({ language }) => language === lang) ?? installed[0])?.name ?? "" },
  };
  return { source, ...page.models[source], ...starts[source] };
}

/** Separator of texts: a line break, or ␞ if texts contain line breaks. @param {boolean} breaks */
export const separator = (breaks) => (breaks ? "\n␞\n" : "\n");

/** @param {string | null} box @param {boolean} breaks */
export const textsOf = (box, breaks) => (box ?? "").split(separator(breaks)).filter((text) => text.trim() !== "");

/** @param {Pick<Question, "text" | "breaks">} question */
export const sentences = ({ text, breaks }) => textsOf(text, breaks);

/** Whether keys come from another text; an empty text does not count. @param {Partial<Question>} question */
export const hasContext = ({ context, context_tokens, context_x }) =>
  Boolean(context_x || context_tokens || String(context ?? "").trim());

/** Whether layers alternate between self- and cross-attention. @param {Partial<Question>} question */
export const isDecoder = ({ model }) => model?.source === "seeded" && model.block === "decoder";

/** @param {Question} question */
export const hasMlp = (question) => question.model.source === "seeded" && (question.model.mlp || isDecoder(question));

/** Whether keys come from another text and the masks of ONE_TEXT do not apply. @param {Partial<Question>} question */
export const isCross = (question) => hasContext(question) && !isDecoder(question);

/**
 * Whether queries see every key: in another text, or without a causal mask. For encoder–decoder models, only the
 * mask counts.
 * @param {Page} page @param {Question} question
 */
export const seesAll = (page, question) =>
  (isCross(question) && !installedOf(page, question)?.encoder_layers) || !isCausal(page, question);

/** A capture ignores all fields but the model. @param {Pick<Question, "model">} question */
export const isCaptured = ({ model }) => model.source === "captured";

/** @param {Pick<Question, "model">} question */
export const isRandom = ({ model }) => model.source === "seeded";

/** Status of a question that cannot be sent, else null. @param {Question} question */
export function missing(question) {
  if (question.model.source === "uploaded" && !question.model.id) return "no_upload";
  if (!question.x && !question.tokens && sentences(question).length === 0) return "empty";
  return null;
}

/** @param {Question} question @returns {Record<string, unknown>} */
export function bodyOf({ breaks, ...question }) {
  if (isCaptured(question)) return { model: question.model, dtype: null };
  const one = (/** @type {string | null} */ box) => {
    const texts = textsOf(box, breaks);
    return texts.length === 1 ? texts[0] : texts;
  };
  const { model, text, x, tokens, context, pair, context_x, context_tokens } = question;
  /** @type {Record<string, any>} */
  const all = { ...question, text: x || tokens ? null : one(text), model: withoutNulls(model) };
  all.context = all.pair = null;
  if (!x && !tokens && pair?.trim()) all.pair = one(pair);
  if (isCross(question)) Object.assign(all, ONE_TEXT, { causal: null });
  if (hasContext(question) && !context_x && !context_tokens) all.context = one(context);
  return withoutNulls(all);
}

/** @param {Record<string, any>} object */
function withoutNulls(object) {
  return Object.fromEntries(Object.entries(object).filter(([, one]) => one !== null));
}

/** @param {Question} question @param {Shape | null} known previous shape @returns {Shape} */
export function guessShape(question, known) {
  const { model, tokens, x, context_tokens, context_x, context } = question;
  const queries = lengths(question, tokens ?? x, question.text);
  const n = Math.max(...queries, question.context_length ?? 1);
  const keys = hasContext(question) ? lengths(question, context_tokens ?? context_x, context) : [n];
  const [m, batch] = [Math.max(1, ...keys), Math.max(1, queries.length)];
  if (model.source === "seeded") {
    const { num_heads, d_model } = model;
    const num_layers = model.num_layers * (isDecoder(question) ? 2 : 1);
    const d_k = model.d_k ?? Math.ceil(d_model / num_heads);
    const num_kv_heads = model.num_kv_heads ?? num_heads;
    return { num_heads, num_kv_heads, num_layers, n, m, batch, d_model, d_k, d_v: model.d_v ?? d_k };
  }
  if (model.source === "explicit") {
    const { num_heads, w_q, w_v } = model;
    const num_kv_heads = model.num_kv_heads ?? num_heads;
    const d_k = Math.ceil((w_q?.[0]?.length ?? 1) / num_heads);
    const d_v = Math.ceil((w_v?.[0]?.length ?? 1) / num_kv_heads);
    return { num_heads, num_kv_heads, num_layers: 1, n, m, batch, d_model: w_q?.length ?? 1, d_k, d_v };
  }
  const unknown = { num_heads: 4, num_kv_heads: 4, num_layers: 1, d_model: 64, d_k: 32, d_v: 32 };
  return { ...unknown, ...known, n, m, batch };
}

/** @param {Question} question @param {any[] | null} given @param {string | null} text */
function lengths({ tokenizer, breaks }, given, text) {
  if (given) {
    const nested = Array.isArray(given[0]) && typeof given[0][0] !== "number";
    return nested ? given.map((each) => each?.length ?? 1) : [given.length];
  }
  const pattern = tokenizer === "characters" ? /\S/gu : /\p{Script=Han}|[\p{L}\p{M}\p{N}'’]+|[^\s]/gu;
  return textsOf(text, breaks).map((each) => {
    const part = each.slice(0, READ);
    return Math.ceil(((part.match(pattern)?.length ?? 1) * each.length) / part.length);
  });
}

/** Counts the numbers of all layers. @param {Stage[]} stages @param {Shape} shape */
export function numbersIn(stages, shape) {
  const sizes = sizesOf(shape);
  const layer = stages.map(({ axes }) => axes.reduce((product, axis) => product * sizes[axis], 1));
  return shape.num_layers * layer.reduce((sum, numbers) => sum + numbers, 0);
}
