/** One stage of a comparison, large: in A, in B or as the difference; as a picture or as a table. */

import { look } from "../data/actions.js";
import { NAMES } from "../data/beside.js";
import { told } from "../data/comparing.js";
import { signed } from "../data/difference.js";
import { isMap, stageOf } from "../data/page.js";
import { fill, h } from "../lib/dom.js";
import { formulas } from "./formulas.js";
import { heatmap } from "./heatmap.js";
import { legend } from "./legend.js";
import { table } from "./table.js";
import { labelOf } from "./words.js";

/** @typedef {import("../data/beside.js").Name} Name */
/** @typedef {import("../data/state.js").Part} Part */
/** @typedef {import("../data/state.js").State} State */

const SIZE = { most: 64, gutter: 130 };
const NOTHING = /** @type {State} */ (/** @type {unknown} */ ({ view: {} }));

/**
 * @param {HTMLElement} root
 * @param {import("../data/comparing.js").PairStore} pair
 * @param {import("../data/beside.js").Stores} stores
 */
export function closeup(root, pair, stores) {
  const { t } = pair;
  const dialog = /** @type {HTMLDialogElement} */ (root);
  /** @type {Part[]} */
  let parts = [];
  let shown = "";
  let before = NOTHING;
  dialog.addEventListener("close", () => pair.get().view.stage && look(stores.a, { stage: null, table: false }));
  document.addEventListener("keydown", (event) => {
    const menu = event.target instanceof Element && event.target.closest(".sides, dialog:modal");
    if (event.key === "Escape" && dialog.open && !menu) dialog.close();
  });

  /** @param {string} name @param {Name} of */
  function build(name, of) {
    const store = stores[of];
    const known = stageOf(store.page, name);
    const stage = of === "difference" ? signed(known) : known;
    const label = labelOf(store, name);
    const formula = formulas(stores, known);
    const [picture, foot, sheet] = [h("div"), h("div"), h("div", { class: "sheet", tabindex: "0" })];
    const toggle = h("input", { type: "checkbox", onchange: () => look(store, { table: toggle.checked }) });
    const choices = NAMES.map((each) =>
      h(
        "button",
        { type: "button", "aria-pressed": String(each === of), onclick: () => pair.set({ of: each }, { replace: true }) },
        t(`compare.${each}`),
      ),
    );
    sheet.setAttribute("aria-label", t("compare.of", { stage: label, of: t(`compare.${of}`) }));
    sheet.setAttribute("role", "region");
    fill(
      dialog,
      h(
        "header",
        {},
        h("h2", {}, label),
        formula.root,
        h("div", { class: "choice", role: "group", "aria-label": t("compare.which") }, choices),
        h("label", { class: "flag" }, toggle, t("large.table")),
        h("button", { class: "close", onclick: () => dialog.close(), "aria-label": t("dialog.close") }, "✕"),
      ),
      picture,
      sheet,
      foot,
    );
    dialog.setAttribute("aria-label", t("compare.of", { stage: label, of: t(`compare.${of}`) }));
    dialog.classList.toggle("map", isMap(stage));
    const own = /** @type {Part} */ ({
      update({ view }) {
        formula.update();
        toggle.checked = view.table;
        picture.hidden = foot.hidden = view.table;
        sheet.hidden = !view.table;
      },
      destroy: () => fill(dialog),
    });
    parts = [own, heatmap(picture, store, stage, SIZE), legend(foot, store, stage), table(sheet, store, stage)];
  }

  /** The same picture of another side keeps the focus where it was. @param {boolean} chosen */
  function focus(chosen) {
    const at = chosen ? '.choice [aria-pressed="true"]' : ".plot";
    /** @type {HTMLElement | null} */ (dialog.querySelector(at))?.focus();
  }

  return {
    update() {
      const { view, of } = pair.get();
      const stage = pair.page.stages.find(({ name }) => name === view.stage);
      const name = stage && told(pair.get(), stage) ? stage.name : "";
      const key = name && `${name} ${of}`;
      const fresh = key !== "" && key !== shown;
      const chosen = dialog.querySelector(".choice")?.contains(document.activeElement) ?? false;
      if (key !== shown) for (const part of parts.splice(0)) part.destroy();
      if (fresh) build(name, of);
      shown = key;
      if (name && !dialog.open) dialog.show();
      if (!name && dialog.open) dialog.close();
      const state = stores[of].get();
      for (const part of parts) part.update(state, fresh ? NOTHING : before);
      before = state;
      if (fresh) focus(chosen);
    },
  };
}
