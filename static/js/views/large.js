/**
 * One stage, large: with labels, with numbers in the cells, or as a table. It covers the pipeline
 * and leaves the inspector free, so that a pinned cell explains itself beside it.
 */

import { look } from "../data/actions.js";
import { drawn, formulaOf, has, isMap, stageOf } from "../data/page.js";
import { fill, h, math } from "../lib/dom.js";
import { shapeOf } from "./card.js";
import { heatmap } from "./heatmap.js";
import { legend } from "./legend.js";
import { table } from "./table.js";
import { labelOf } from "./words.js";

/** @typedef {import("../data/state.js").Part} Part */

const SIZE = { most: 64, gutter: 130 };

/** @type {import("../data/state.js").ViewOf} */
export function large(root, store) {
  const { t } = store;
  const dialog = /** @type {HTMLDialogElement} */ (root);
  /** @type {Part[]} */
  let parts = [];
  let shown = "";
  dialog.addEventListener(
    "close",
    () => store.get().view.stage && look(store, { stage: null, table: false }),
  );
  document.addEventListener("keydown", onKey);

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const typing =
      event.target instanceof Element && event.target.closest("#options, #sentence, dialog:modal");
    if (event.key === "Escape" && dialog.open && !typing) dialog.close();
  }

  /** @param {string} name */
  function build(name) {
    const stage = stageOf(store.page, name);
    const [picture, foot, sheet] = [h("div"), h("div"), h("div", { class: "sheet", tabindex: "0" })];
    const toggle = h("input", { type: "checkbox", onchange: () => look(store, { table: toggle.checked }) });
    const shape = h("p", { class: "shape" });
    const label = labelOf(store, name);
    fill(
      dialog,
      h(
        "header",
        {},
        h("h2", {}, label),
        h("span", { class: "formula" }, math(formulaOf(stage, store.get().question))),
        shape,
        h("label", { class: "flag" }, toggle, t("large.table")),
        h("button", { class: "take", "data-take": stage.name, "aria-label": t("share.take", { stage: label }) }, "⤓"),
        h("button", { class: "close", onclick: () => dialog.close(), "aria-label": t("dialog.close") }, "✕"),
      ),
      h("p", { class: "muted" }, labelOf(store, stage.formula)),
      picture,
      sheet,
      foot,
    );
    dialog.setAttribute("aria-label", label);
    dialog.classList.toggle("map", isMap(stage));
    parts = [heatmap(picture, store, stage, SIZE), legend(foot, store, stage), table(sheet, store, stage)];
    const own = /** @type {Part} */ ({
      update(state) {
        fill(shape, shapeOf(state, stage));
        toggle.checked = state.view.table;
        picture.hidden = foot.hidden = state.view.table;
        sheet.hidden = !state.view.table;
      },
      destroy: () => fill(dialog),
    });
    parts.unshift(own);
  }

  return {
    update(state, previous) {
      const { answer, view } = state;
      const seen = view.tab === "gradients" ? null : answer; // which has derivatives of its own
      const name = (seen && drawn(store.page).find((each) => each.name === view.stage && has(seen, each.name))?.name) ?? null;
      const fresh = name !== null && name !== shown;
      if (name !== shown) for (const part of parts.splice(0)) part.destroy();
      if (fresh) build(name);
      shown = name ?? "";
      if (name && !dialog.open) dialog.show();
      if (!name && dialog.open) dialog.close();
      const before = fresh ? /** @type {import("../data/state.js").State} */ ({ view: {} }) : previous;
      for (const part of parts) part.update(state, before);
      // In a frame the focus belongs to the page around it; a presentation has none.
      if (fresh && !state.view.present && !document.body.classList.contains("embed"))
        /** @type {HTMLElement | null} */ (dialog.querySelector(".plot"))?.focus();
    },
    destroy() {
      document.removeEventListener("keydown", onKey);
      for (const part of parts) part.destroy();
    },
  };
}
