import { signed } from "../difference/difference.js";
import { valueRows } from "../difference/value-list.js";
import { stageOf } from "../core/page.js";
import { pictureOf } from "../core/picture.js";
import { selection } from "../core/state.js";
import { fill, h } from "../lib/dom.js";
import { bothOf } from "./changed-stage.js";

/** @param {HTMLElement} slot @param {import("./changed-stores.js").Lens} seen @returns {Part} */
export function changedCell(slot, seen) {
  const { store } = seen;
  const line = h("dl", { class: "was" });
  let said = "";
  return {
    update(state) {
      const { cell } = state.view;
      const stage = cell && signed(stageOf(store.page, cell.stage));
      const known = stage && state.answer && pictureOf(store.page, state.answer, stage, selection(state));
      if (!known) return line.remove(); // parameters: their previous numbers are unknown
      const { was, is, delta } = bothOf(store, state, cell);
      const numbers = { [store.t("change.before")]: was, [store.t("change.now")]: is, Δ: delta || "–" };
      if (JSON.stringify(numbers) !== said)
        fill(line, valueRows(Object.entries(numbers).map(([label, value]) => ({ label, value }))));
      said = JSON.stringify(numbers);
      if (line.parentElement !== slot) slot.append(line);
    },
    destroy: () => line.remove(),
  };
}
