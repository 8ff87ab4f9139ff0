import { setView } from "../core/actions.js";
import { MATRIX_NAMES } from "../core/address/fields.js";
import { refusal } from "../core/refusal-words.js";
import { isLong } from "../core/state.js";
import { answerKey, fetchPart, keyedRequest } from "../core/traces.js";
import { offerIndices } from "../lib/count-select.js";
import { h, fill } from "../lib/dom.js";
import { field } from "../lib/field.js";
import { SYMBOLS, typeset } from "../lib/notation.js";
import { makeSelect } from "../lib/select.js";
import { drawInitialisation } from "./initialisation.js";
import { facts, identities, singularValues } from "./spectrum.js";
import { tensors } from "./tensors.js";
import { TokenPlanes } from "./token-planes.js";

export class ParameterOptions {
  /** @param {Store} store */
  constructor(store) {
    const { t } = store;
    this.layer = makeSelect((index) => setView(store, { layer: Number(index) }));
    this.head = makeSelect((index) => setView(store, { head: Number(index) }));
    this.layers = field(t("parameters.layer"), this.layer);
    this.heads = field(t("parameters.head"), this.head);
    this.buttons = MATRIX_NAMES.map((name) =>
      h("button", { onclick: () => setView(store, { matrix: name }) }, typeset(SYMBOLS[name])),
    );
    this.table = h("input", { type: "checkbox", onchange: () => setView(store, { table: this.table.checked }) });
    const matrices = { class: "swatches matrices", role: "group", "aria-label": t("parameters.matrix") };
    this.root = h(
      "div",
      { class: "choices", role: "group", "aria-label": t("parameters.choices") },
      this.layers,
      this.heads,
      h("span", matrices, this.buttons),
      h("label", { class: "field flag" }, this.table, t("parameters.tables")),
    );
  }

  /** @param {State} state @param {Record<string, unknown> | undefined} matrices */
  show({ answer, view }, matrices) {
    const { num_layers, num_heads } = /** @type {Answer} */ (answer).reply.shape;
    offerIndices(this.layer, num_layers, view.layer, String);
    offerIndices(this.head, num_heads, view.head, String);
    this.layers.hidden = num_layers < 2;
    this.heads.hidden = num_heads < 2;
    this.table.checked = view.table;
    MATRIX_NAMES.forEach((name, at) => {
      this.buttons[at].hidden = matrices !== undefined && !(name in matrices);
      this.buttons[at].setAttribute("aria-pressed", String(name === view.matrix));
    });
  }
}

/** @type {ViewOf} */
export const parameters = (root, store) => new ParametersTab(root, store);

class ParametersTab {
  /** @type {Replies.Spectra | null} */
  spectra = null;
  /** @type {State | undefined} */
  drawn;

  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    this.root = root;
    this.store = store;
    this.options = new ParameterOptions(store);
    this.trouble = h("p", { class: "error", role: "status" });
    this.values = h("section", { class: "card" });
    this.flat = h("section", { class: "card" });
    this.checks = h("section", { class: "card" });
    const [pictures, drawn] = [h("section", { class: "card wide" }), h("section", { class: "card wide" })];
    this.columns = h("div", { class: "columns" }, this.values, this.flat, this.checks);
    root.classList.add("theory");
    fill(root, this.options.root, this.trouble, pictures, this.columns, drawn);
    this.tensors = tensors(pictures, store);
    this.planes = new TokenPlanes(this.flat, store);
    this.wantSpectra = keyedRequest(
      (/** @type {Replies.Spectra} */ found) => this.take(found),
      (problem) => this.refuse(refusal(store, problem)),
      this.columns,
    );
    this.wantInitialisation = keyedRequest(
      (/** @type {Replies.Initialisation} */ found) => drawInitialisation(drawn, store, found),
      (problem) => fill(drawn, h("p", { class: "muted" }, refusal(store, problem))),
      drawn,
    );
  }

  /** @type {Part["update"]} */
  update(state) {
    if (state.view.tab !== "parameters" || !state.answer || isLong(state)) return;
    const { answer, view, attempt, pointed } = this.drawn ?? {};
    if (state.answer !== answer || state.view !== view || state.attempt !== attempt) {
      this.ask(state);
      this.show(state);
    }
    if (state.pointed !== pointed) this.planes.light(state);
    this.tensors.update(state, this.drawn);
    this.drawn = state;
  }

  destroy() {
    this.tensors.destroy();
    this.root.replaceChildren();
  }

  /** @param {State} state */
  ask(state) {
    const { layer, head, batch } = state.view;
    const of = `${state.answer?.reply.trace} ${state.attempt} ${layer} ${batch}`;
    this.wantSpectra(`${of} ${head}`, () => spectraOf(state), answerKey(state));
    this.wantInitialisation(of, () => fetchPart(state, "initialisation", { layer, batch }), answerKey(state));
  }

  /** @param {Replies.Spectra} spectra */
  take(spectra) {
    this.spectra = spectra;
    fill(this.trouble);
    this.show(this.store.get());
  }

  /** @param {Child[]} why */
  refuse(why) {
    this.spectra = null;
    this.columns.hidden = true;
    fill(this.trouble, why);
  }

  /** @param {State} state */
  show(state) {
    const { spectra, store } = this;
    const own = spectra?.heads[0];
    this.options.show(state, own?.matrices);
    if (!own || !spectra) return;
    const { view } = state;
    this.columns.hidden = false;
    const name = view.matrix in own.matrices ? view.matrix : "w_q";
    const title = store.t("parameters.values", { matrix: SYMBOLS[name], head: view.head });
    fill(
      this.values,
      h("h3", {}, typeset(title)),
      singularValues(store, own.matrices[name], view.table),
      facts(store, name, own, spectra),
    );
    this.planes.show(state, name, own.geometry[name], spectra.principal);
    fill(this.checks, identities(store, own, spectra));
  }
}

/**
 * Spectra of the head, and of the layer's whole tensors unless they are too large.
 * @param {State} state @returns {Promise<Replies.Spectra>}
 */
async function spectraOf(state) {
  const { layer, head, batch } = state.view;
  const place = { layer, head, batch };
  try {
    return await fetchPart(state, "spectrum", place);
  } catch (problem) {
    if (/** @type {any} */ (problem).code !== "too_large") throw problem;
    return fetchPart(state, "spectrum", { ...place, tensors: "false" });
  }
}
