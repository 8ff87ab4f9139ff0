/** Lets readers assign tensors to roles before the upload. */

import { formatBytes } from "../lib/bytes.js";
import { fill, h } from "../lib/dom.js";
import { field } from "../lib/field.js";
import { filesOf, checkRoles, layersOf, mappingOf, patternOf } from "./mapping.js";
import { RoleRow } from "./role-row.js";
import { EMBEDDING, ROLES, blank, proposeRoles, looksLikeMaps, patternsOf } from "./roles.js";
import { SendingRow } from "./sending-row.js";
import { TensorList } from "./tensor-list.js";

/**
 * @typedef
 * {{t: Store["t"], page: {limits: Record<string, number>, families: string[], others: Record<string, string>}}}
 * MappingStore
 */
/**
 * @typedef {Object} Chosen
 * @property {string} title
 * @property {import("./chosen-files.js").Config | null} config
 * @property {import("./file-tensors.js").Contents} contents
 */

const OURS = /^(layers\.\d+\.)?[wb]_[qkvo]$|^embedding$/; // tensors that need no mapping
const FIELD = /(?:^|\.)([wb]_[qkvo]|embedding|num_heads)$/; // fields that show their own errors
/** @type {Record<string, string>} messages about models without text or attention */
const OTHERS = {
  images: "models.family.images",
  sound: "models.family.sound",
  no_attention: "models.family.no_attention",
};

export class MappingScreen {
  /** @type {Record<string, string>} errors by field; "" has the last of the others */
  refused = {};

  /** @param {MappingStore} store @param {Chosen} chosen @param {(reply: {id: string}) => void} open */
  constructor(store, chosen, open) {
    const { t, page } = store;
    this.store = store;
    this.chosen = chosen;
    const { tensors, metadata, vocab } = chosen.contents;
    const patterns = patternsOf(tensors);
    this.known = tensors.every(({ name }) => OURS.test(name));
    const roles = this.known ? [] : [...ROLES, ...(vocab ? [EMBEDDING] : [])];
    const heads = chosen.config?.heads ?? (Number(metadata.num_heads) || null);
    const choices = this.known ? {} : proposeRoles(patterns);
    if (vocab && !this.known) choices[EMBEDDING] = blank();
    this.draft = { choices, patterns, heads, first: 0, last: Infinity };
    this.rows = roles.map((role) => new RoleRow(t, role, patterns, (of, choice) => this.choose(of, choice)));
    this.list = new TensorList(store, tensors);
    this.title = h("h2", { tabindex: "-1" }, chosen.title);
    this.heads = this.number({ min: 1, max: page.limits.max_heads, "aria-describedby": "heads-error" }, (value) => ({
      heads: value || null,
    }));
    this.headsError = h("p", { class: "sum error", id: "heads-error", role: "status" });
    this.first = this.number({ min: 0 }, (first) => ({ first }));
    this.last = this.number({ min: 0 }, (last) => ({ last }));
    this.summary = h("p", { class: "summary", role: "status" });
    this.error = h("p", { class: "error", role: "alert" });
    this.sending = new SendingRow(
      store,
      () => this.form(),
      open,
      (problem) => this.refuse(problem),
    );
    this.layers = h("span", { class: "layers" }, [
      field(t("models.first_layer"), this.first),
      field(t("models.last_layer"), this.last),
    ]);
    this.root = this.layout();
    this.begin();
    this.update();
  }

  layout() {
    const counts = h("div", { class: "counts" }, field(this.store.t("models.heads"), this.heads), this.layers);
    const under = [counts, this.headsError, this.summary, this.error, this.sending.root];
    const rows = this.rows.map(({ root }) => root);
    const fields = h("div", { class: "roles" }, rows, under);
    return h(
      "section",
      { class: "mapping-screen", "aria-label": this.chosen.title },
      this.title,
      this.about().map((text) => h("p", { class: "muted" }, text)),
      h("div", { class: "mapping-columns" }, fields, this.list.root),
    );
  }

  about() {
    const { t, page } = this.store;
    const { model_type: kind = "", architecture = "" } = this.chosen.config ?? {};
    const known = page.families.includes(kind);
    const family = known ? "models.family_known" : (OTHERS[page.others[kind]] ?? "models.family_unknown");
    const guessed = Object.values(this.draft.choices).some(({ pattern }) => pattern);
    return [
      ...(looksLikeMaps(this.chosen.contents.tensors) ? [t("models.like_maps")] : []),
      ...(kind ? [t(family, { kind: known ? kind : architecture || kind })] : []),
      t(this.known ? "models.own" : "models.choose_roles"),
      ...(guessed ? [t("models.proposed")] : []),
    ];
  }

  /** @param {Record<string, unknown>} attributes @param {(value: number) => Partial<MappingScreen["draft"]>} said */
  number(attributes, said) {
    const input = h("input", { type: "number", ...attributes });
    input.addEventListener("input", () => this.change(said(Number(input.value))));
    return input;
  }

  begin() {
    const { layers } = patternOf(this.draft, "w_q") ?? { layers: [] };
    const most = Math.max(0, ...this.draft.patterns.flatMap((pattern) => pattern.layers));
    this.draft.last = most;
    this.layers.hidden = most === 0;
    this.first.value = String((this.draft.first = layers[0] ?? 0));
    this.last.value = String(most);
    this.heads.value = String(this.draft.heads ?? "");
  }

  /** @param {string} role @param {import("./roles.js").Choice} choice */
  choose(role, choice) {
    this.change({ choices: { ...this.draft.choices, [role]: choice } });
  }

  /** @param {Partial<MappingScreen["draft"]>} changed */
  change(changed) {
    Object.assign(this.draft, changed);
    this.refused = {};
    this.update();
  }

  update() {
    const { draft, refused, known, store } = this;
    const said = checkRoles(draft);
    for (const row of this.rows) row.update(draft.choices[row.role], said[row.role], refused[row.role] ?? "");
    this.heads.toggleAttribute("aria-invalid", Boolean(refused.num_heads));
    fill(this.headsError, refused.num_heads);
    fill(this.error, refused[""]);
    const mapping = this.mapping();
    this.list.show(this.rolesByTensor(mapping));
    const bytes = this.files(mapping).reduce((sum, { size }) => sum + size, 0);
    const limit = store.page.limits.max_upload_bytes;
    const layers = layersOf(draft).length;
    const none = (patternOf(draft, "w_q")?.layers.length ?? 0) > 0 && layers === 0;
    const key = none ? "no_layers" : bytes > limit ? "too_large" : known ? "whole" : "to_send";
    const values = { bytes: formatBytes(bytes), limit: formatBytes(limit), layers: layers || 1 };
    fill(this.summary, store.t(`models.sent.${key}`, values));
    const wrong = none || bytes > limit;
    this.summary.classList.toggle("error", wrong);
    this.sending.send.disabled = wrong || Object.values(said).some((one) => one.wrong);
  }

  mapping() {
    if (!this.known) return mappingOf(this.draft);
    return Object.fromEntries(this.chosen.contents.tensors.map(({ name }) => [name, { tensor: name }]));
  }

  /** @param {Record<string, {tensor: string}>} mapping */
  rolesByTensor(mapping) {
    /** @type {Map<string, string[]>} */
    const found = new Map();
    for (const [target, { tensor }] of Object.entries(mapping))
      found.set(tensor, [...(found.get(tensor) ?? []), target]);
    return found;
  }

  /** @param {Record<string, {tensor: string}>} mapping */
  files(mapping) {
    const { tensors, metadata } = this.chosen.contents;
    const names = new Set(Object.values(mapping).map(({ tensor }) => tensor));
    const chosen = tensors.filter(({ name }) => names.has(name));
    return filesOf(chosen, metadata, this.chosen.title);
  }

  form() {
    const mapping = this.mapping();
    const form = new FormData();
    for (const file of this.files(mapping)) form.append("weights", file);
    form.append("num_heads", this.heads.value.trim() || "file");
    form.append("name", this.chosen.title);
    if (!this.known) form.append("mapping", JSON.stringify(mapping));
    return form;
  }

  /** @param {Problem} problem */
  refuse({ message, errors }) {
    this.refused = {};
    for (const { at, message: sentence } of errors) {
      const field = at?.match(FIELD)?.[1] ?? "";
      const here = field === "num_heads" || this.rows.some(({ role }) => role === field);
      this.refused[here ? field : ""] = sentence;
    }
    if (errors.length === 0) this.refused[""] = message || this.store.t("models.offline");
    this.update();
    const faulty = this.root.querySelector("[aria-invalid]");
    if (faulty instanceof HTMLElement) faulty.focus();
  }
}
