import { dataTable } from "../lib/data-table.js";
import { h } from "../lib/dom.js";
import { shapeText } from "../lib/notation.js";
import { tensorSearch } from "./tensor-search.js";

export class TensorList {
  /** @type {Map<string, HTMLElement>} cells by tensor */
  became = new Map();

  /** @param {{t: Store["t"]}} store @param {import("./file-tensors.js").Tensor[]} tensors */
  constructor(store, tensors) {
    const { t } = store;
    const rows = tensors.map(({ name, shape, dtype }) => {
      const cell = h("td");
      this.became.set(name, cell);
      return { name, cells: [shapeText(shape), dtype, cell], "data-words": name };
    });
    const names = [t("models.name"), t("models.shape"), t("models.dtype"), t("models.became")];
    const table = dataTable({ class: "tensors", translate: "no", columns: [names], bodies: [rows] });
    const around = { class: "scroll", tabindex: "0", role: "group", "aria-label": t("models.tensors") };
    this.root = h("div", { class: "listed" }, tensorSearch(store, table), h("div", around, table));
  }

  /** @param {Map<string, string[]>} became roles by tensor */
  show(became) {
    for (const [name, cell] of this.became) {
      const text = (became.get(name) ?? []).join(", ");
      if (cell.textContent !== text) cell.textContent = text;
    }
  }
}
