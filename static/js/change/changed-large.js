import { largeStage } from "../core/large-stage.js";
import { stageOf } from "../core/page.js";
import { pictureOf } from "../core/picture.js";
import { selection } from "../core/state.js";
import { signed } from "../difference/difference.js";
import { valueRows } from "../difference/cell-values.js";
import { fill, h } from "../lib/dom.js";
import { LARGE_SIZE, table } from "../matrix/large-dialog.js";
import { bothOf, changePlot } from "./changed-stage.js";

/**
 * @param {HTMLElement} slot @param {import("./changed-stores.js").Lens} seen @param {() => string} heading
 * @returns {Part}
 */
export function changedLarge(slot, seen, heading) {
  const { store } = seen;
  const about = h("p", { class: "muted" });
  const place = h("div", { class: "change" });
  let shown = "";
  /** @type {Part[]} */
  let parts = [];

  /** @param {Stage} stage */
  function build(stage) {
    const { part, picture, foot, same } = changePlot(seen, stage, LARGE_SIZE);
    const sheet = h("div", { class: "sheet", tabindex: "0" });
    fill(place, about, picture, sheet, foot, same);
    slot.append(place);
    const own = {
      /** @param {State} state */
      update({ view }) {
        about.textContent = heading();
        picture.hidden = view.table;
        sheet.hidden = !view.table;
        place.classList.toggle("tabled", view.table);
      },
      destroy: () => fill(place),
    };
    parts = [own, part, table(sheet, store, signed(stage), cellOf)];
  }

  /** @param {State} state @param {Cell} cell */
  function cellOf(state, cell) {
    const { was, is, delta } = bothOf(store, state, cell);
    return h("span", {}, h("b", {}, delta || "–"), h("small", {}, was === is && !delta ? is : `${was} → ${is}`));
  }

  function clear() {
    for (const part of parts.splice(0)) part.destroy();
    place.remove();
    shown = "";
  }

  return {
    update(state, previous) {
      const stage = largeStage(store.page, state);
      if (!stage) return clear();
      const fresh = stage.name !== shown;
      if (fresh) {
        const focused = slot.parentElement?.contains(document.activeElement); // in the dialog
        clear();
        build(stage);
        shown = stage.name;
        if (focused) /** @type {HTMLElement | null} */ (place.querySelector(".plot"))?.focus();
      }
      for (const part of parts) part.update(state, fresh ? undefined : previous);
    },
    destroy: clear,
  };
}

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
      if (!known) return line.remove(); // such as parameters, whose previous numbers are unknown
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
