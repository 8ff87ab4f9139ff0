import { fill, h } from "../lib/dom.js";
import { shapeText, typeset } from "../lib/notation.js";
import { makeSelect, setOptions } from "../lib/select.js";
import { EMBEDDING, blank, candidates, isBias, sizesOf, wholeTensor } from "./roles.js";

/** @import {Choice, Pattern, Said} from "./roles.js" */

export class RoleRow {
  choice = blank();
  refused = "";

  /**
   * @param {Translate} t @param {string} role @param {Pattern[]} patterns
   * @param {(role: string, choice: Choice) => void} tell
   */
  constructor(t, role, patterns, tell) {
    this.t = t;
    this.role = role;
    this.tell = tell;
    this.patterns = candidates(patterns, role);
    const name = role === EMBEDDING ? t("models.embedding") : `${role[0] === "w" ? "W" : "b"}_${role[2].toUpperCase()}`;
    this.sum = h("p", { class: "sum", id: `sum-${role}`, role: "status" });
    const named = { "aria-describedby": this.sum.id, "aria-label": t("models.tensor_of", { name }) };
    this.tensor = makeSelect((pattern) => this.take(pattern), named);
    setOptions(this.tensor, ["", ...this.patterns.map(({ pattern }) => pattern)], "", (pattern) =>
      this.optionOf(pattern),
    );
    this.turned = h("input", { type: "checkbox", onchange: () => this.change({ transpose: this.turned.checked }) });
    this.part = makeSelect((axis) => this.cut(axis), { "aria-label": t("models.part_of", { name }) });
    const parts = isBias(role) ? ["", "0"] : ["", "0", "1"];
    setOptions(this.part, parts, "", (axis) =>
      t(`models.part.${isBias(role) && axis ? "some" : (PARTS[axis] ?? "whole")}`),
    );
    this.from = this.end("from", t("models.from_of", { name }));
    this.to = this.end("to", t("models.to_of", { name }));
    this.ends = h("span", { class: "ends", hidden: true }, this.from, "–", this.to);
    const turned = !isBias(role) && h("label", { class: "field" }, this.turned, t("models.transposed"));
    this.more = h("span", { class: "more-of", hidden: true }, this.part, this.ends, turned);
    const legend = h("legend", {}, typeset(name));
    this.root = h("fieldset", { class: "role", "data-role": role }, legend, this.tensor, this.more, this.sum);
  }

  /** @param {"from" | "to"} end @param {string} label */
  end(end, label) {
    const input = h("input", { type: "number", min: 0, "aria-label": label });
    input.addEventListener("input", () => this.change({ [end]: input.value === "" ? NaN : Number(input.value) }));
    return input;
  }

  /** @param {string} pattern */
  optionOf(pattern) {
    const found = this.patterns.find((each) => each.pattern === pattern);
    return found ? `${pattern}  ${shapeText(found.shape)}` : this.t("models.none_chosen");
  }

  /** @param {string} pattern */
  take(pattern) {
    const found = this.patterns.find((each) => each.pattern === pattern);
    this.change(found ? wholeTensor(found) : blank());
  }

  /** @param {string} axis empty for the whole tensor */
  cut(axis) {
    const size = this.sizes()?.[Number(axis)] ?? 0;
    this.change(axis ? { axis: Number(axis), from: 0, to: size } : { axis: null });
  }

  sizes() {
    return this.patterns.find(({ pattern }) => pattern === this.choice.pattern)?.shape;
  }

  /** @param {Partial<Choice>} changed */
  change(changed) {
    this.tell(this.role, { ...this.choice, ...changed });
  }

  /** @param {Choice} choice @param {Said} said @param {string} refused error of the server */
  update(choice, said, refused) {
    this.choice = choice;
    const { pattern, transpose, axis, from, to } = choice;
    if (this.tensor.value !== pattern) this.tensor.value = pattern;
    this.turned.checked = transpose;
    this.part.value = axis === null ? "" : String(axis);
    for (const [input, value] of /** @type {[HTMLInputElement, number][]} */ ([
      [this.from, from],
      [this.to, to],
    ]))
      if (!Number.isNaN(value) && input.value !== String(value)) input.value = String(value);
    this.more.hidden = !pattern;
    this.ends.hidden = axis === null;
    const faulty = refused !== "" || (said.wrong && pattern !== "");
    this.tensor.toggleAttribute("aria-invalid", faulty);
    this.sum.classList.toggle("error", faulty);
    fill(this.sum, refused || this.sentence(said));
  }

  /** @param {Said} said */
  sentence({ key, values, wrong }) {
    const { t, choice } = this;
    const shape = this.sizes();
    const sizes = shape && sizesOf(choice, shape);
    const message = t(key, plain(values));
    if (!shape || !sizes) return message;
    const { axis, from, to, transpose } = choice;
    const part = axis !== null && t(`models.took.${isBias(this.role) ? "some" : PARTS[axis]}`, plain({ from, to }));
    const steps = [shapeText(shape), part, transpose && t("models.transposed")].filter(Boolean);
    const listed = steps.join(t("models.and"));
    const way = steps.length > 1 ? `${listed} → ${shapeText(sizes)}` : listed;
    return t(wrong ? "models.line_wrong" : "models.line", { way, said: message });
  }
}

/** Turns numbers into strings, which get no thousands separators. @param {Record<string, unknown>} values */
const plain = (values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

/** @type {Record<string, string>} */
const PARTS = { 0: "rows", 1: "columns" };
