/** The panel of what is being changed: x and the parameters, number by number. */

import { look } from "../data/actions.js";
import { CHANGES } from "../data/address.js";
import { MATRICES } from "../data/question.js";
import { fill, h } from "../lib/dom.js";
import { mask } from "./brush.js";
import { heads } from "./drop.js";
import { matrix } from "./matrix.js";
import { scaling } from "./scales.js";
import { labelOf } from "./words.js";

/** @typedef {import("../data/changing.js").Bench} Bench */
/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/state.js").Part} Part */

/** @type {Record<string, (root: HTMLElement, bench: Bench) => Part>} */
const PANELS = { mask, scaling, heads };
const TENSORS = ["x", ...MATRICES];

/**
 * @param {HTMLElement} root
 * @param {Bench} bench
 * @returns {Part}
 */
export function editor(root, bench) {
  const { store } = bench;
  const { t } = store;
  const names = [...TENSORS, ...CHANGES.filter((name) => name in PANELS)];
  const buttons = names.map((name) =>
    h(
      "button",
      { type: "button", onclick: () => look(store, { change: name }) },
      TENSORS.includes(name) ? labelOf(store, name) : t(`change.${name}`),
    ),
  );
  const close = h(
    "button",
    { class: "close", onclick: () => look(store, { change: null }), "aria-label": t("change.close"), title: t("change.close") },
    "✕",
  );
  const body = h("div", { class: "body" });
  fill(
    root,
    h("header", {}, h("h2", {}, t("change.title")), h("div", { class: "tensors", role: "group", "aria-label": t("change.what") }, buttons), close),
    body,
  );
  let shown = "";
  /** @type {Part | null} */
  let part = null;

  /** @param {string} name */
  function build(name) {
    part?.destroy();
    shown = name;
    const place = h("div");
    fill(body, place);
    part = name in PANELS ? PANELS[name](place, bench) : matrix(place, bench, name);
  }

  return {
    update(state, previous) {
      const { change } = state.view;
      root.hidden = change === null;
      document.body.dataset.change = change ?? "";
      names.forEach((name, index) => buttons[index].setAttribute("aria-pressed", String(name === change)));
      const fresh = change !== null && change !== shown;
      if (fresh) build(change);
      if (change) part?.update(state, fresh ? /** @type {State} */ ({ view: {} }) : previous);
    },
    destroy() {
      part?.destroy();
      fill(root);
    },
  };
}
