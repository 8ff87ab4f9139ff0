import { h } from "../lib/dom.js";

let count = 0;

export class WritingField {
  /**
   * @param {Store["t"]} t @param {"tokens" | "temperature" | "seed" | "top_k"} name
   * @param {{value?: number, min: number, step: number | "any", placeholder?: string}} how
   */
  constructor(t, name, { value, min, step, placeholder = "" }) {
    const id = `writing-${count++}`;
    this.input = h("input", { type: "number", id, min, step, value, "aria-describedby": `${id}-error`, placeholder });
    this.error = h("span", { class: "error", role: "alert", id: `${id}-error` });
    const about = { for: id, title: t(`decode.write.about.${name}`) };
    const label = h("label", about, h("span", {}, t(`decode.write.${name}`)));
    this.root = h("div", { class: "field" }, label, this.input, this.error);
  }

  get number() {
    return Number.isNaN(this.input.valueAsNumber) ? null : this.input.valueAsNumber;
  }

  /** @param {string} why empty if valid */
  complain(why) {
    this.error.textContent = why;
    if (why) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
  }
}
