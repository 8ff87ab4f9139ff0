/** Weights: the parameters of a layer as pictures, their singular values, and what they do to the tokens. */

import { look } from "../data/actions.js";
import { MATRIX_NAMES } from "../data/address.js";
import { told, wanting } from "../data/told.js";
import { fill, h } from "../lib/dom.js";
import { bars } from "./bars.js";
import { facts, identities } from "./identities.js";
import { initialised } from "./initialised.js";
import { WRITTEN, typeset } from "./notation.js";
import { plane } from "./plane.js";
import { tensors } from "./tensors.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/told.js").Spectra} Spectra */
/** @typedef {import("../data/told.js").Initialisation} Initialisation */

/** @type {import("../data/state.js").ViewOf} */
export function weights(root, store) {
  const { t } = store;
  const [layer, head] = [counter("layer"), counter("head")];
  const buttons = MATRIX_NAMES.map((name) =>
    h("button", { onclick: () => look(store, { matrix: name }) }, typeset(WRITTEN[name])),
  );
  const table = h("input", { type: "checkbox", onchange: () => look(store, { table: table.checked }) });
  const trouble = h("p", { class: "error", role: "status" });
  const [pictures, values, flat, checks, drawn] = ["wide", "", "", "", "wide"].map((name) =>
    h("section", { class: `card ${name}` }),
  );
  const columns = h("div", { class: "columns" }, values, flat, checks);
  root.classList.add("theory");
  fill(
    root,
    h(
      "div",
      { class: "choices", role: "group", "aria-label": t("weights.choices") },
      layer.root,
      head.root,
      h("span", { class: "swatches matrices", role: "group", "aria-label": t("weights.matrix") }, buttons),
      h("label", { class: "field flag" }, table, t("weights.tables")),
    ),
    trouble,
    pictures,
    columns,
    drawn,
  );
  const parts = [tensors(pictures, store)];
  const picture = plane(flat, store);
  let before = /** @type {State} */ ({ view: {} });
  /** @type {Spectra | null} */
  let spectra = null;
  const wantSpectra = wanting(
    (/** @type {Spectra} */ found) => {
      spectra = found;
      fill(trouble);
      show(store.get());
    },
    (problem) => {
      spectra = null;
      columns.hidden = true;
      fill(trouble, problem.message || t("problem.offline"));
    },
  );
  const wantInitialisation = wanting(
    (/** @type {Initialisation} */ found) => initialised(drawn, store, found),
    (problem) => fill(drawn, h("p", { class: "muted" }, problem.message)),
  );

  /** @param {"layer" | "head"} name */
  function counter(name) {
    const select = h("select", { onchange: () => look(store, { [name]: Number(select.value) }) });
    const own = h("label", { class: "field" }, h("span", {}, t(`weights.${name}`)), select);
    return {
      root: own,
      /** @param {number} count @param {number} now */
      show(count, now) {
        if (select.options.length !== count)
          fill(select, Array.from({ length: count }, (_, at) => h("option", { value: at }, at)));
        select.value = String(now);
        own.hidden = count < 2;
      },
    };
  }

  /** @param {State} state */
  async function spectraOf(state) {
    const { layer, head, batch } = state.view;
    const place = { layer, head, batch };
    try {
      return await told(state, "spectrum", place);
    } catch (problem) {
      if (/** @type {any} */ (problem).code !== "too_large") throw problem;
      return told(state, "spectrum", { ...place, tensors: "false" });
    }
  }

  /** @param {State} state */
  function ask(state) {
    const { layer, head, batch } = state.view;
    const of = `${state.answer?.reply.trace} ${state.attempt} ${layer} ${batch}`;
    wantSpectra(`${of} ${head}`, () => spectraOf(state));
    wantInitialisation(of, () => told(state, "initialisation", { layer, batch }));
  }

  /** @param {State} state */
  function show(state) {
    const { view } = state;
    const { num_layers, num_heads } = /** @type {import("../data/answer.js").Answer} */ (state.answer).reply.shape;
    layer.show(num_layers, view.layer);
    head.show(num_heads, view.head);
    table.checked = view.table;
    MATRIX_NAMES.forEach((name, at) => {
      const there = !spectra || name in spectra.heads[0].matrices;
      buttons[at].hidden = !there;
      buttons[at].setAttribute("aria-pressed", String(name === view.matrix));
    });
    if (!spectra) return;
    columns.hidden = false;
    const [own] = spectra.heads;
    const name = view.matrix in own.matrices ? view.matrix : "w_q";
    const title = t("weights.values", { matrix: WRITTEN[name], head: view.head });
    fill(values, h("h3", {}, typeset(title)), bars(store, own.matrices[name], view.table), facts(store, name, own, spectra));
    picture.show(state, name, own.geometry[name]);
    fill(checks, identities(store, state, own, spectra));
  }

  return {
    update(state) {
      if (state.view.tab !== "weights" || !state.answer) return;
      if (state.answer !== before.answer || state.view !== before.view || state.attempt !== before.attempt) {
        ask(state);
        show(state);
      }
      if (state.pointed !== before.pointed) picture.light(state);
      for (const part of parts) part.update(state, before);
      before = state;
    },
    destroy() {
      for (const part of parts) part.destroy();
      root.replaceChildren();
    },
  };
}
