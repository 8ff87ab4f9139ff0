import { inWords, weightView } from "../core/in-words.js";
import { largeStage } from "../core/large-stage.js";
import { formulaOf, stageOf } from "../core/page.js";
import { fill, h, isVisible, math } from "../lib/dom.js";
import { makeSlots } from "../lib/slots.js";
import { Heatmap } from "../matrix/heatmap.js";
import { LARGE_SIZE, LargeDialog, table } from "../matrix/large-dialog.js";
import { legend } from "../matrix/legend.js";
import { labelOf } from "../matrix/names.js";
import { shapeOf } from "../matrix/shape-text.js";

// Message keys by formula; other formulas need no translation.
const WORDS = /** @type {Record<string, string>} */ ({
  "embedding + position": "words.embedding_position",
  "LN(embedding + position)": "words.embedding_normed",
  "LN(embedding + position + token type)": "words.embedding_typed",
  "LN(embedding + position + token type) w_e + b_e": "words.embedding_projected",
  embedding: "words.embedding",
  "LN(embedding)": "words.embedding_alone_normed",
  "embedding × c": "words.embedding_scaled",
  "embedding × c + position": "words.embedding_scaled_position",
  "LN(embedding × c)": "words.embedding_scaled_normed",
  "LN(embedding × c + position)": "words.embedding_scaled_position_normed",
  "block_output of the encoder": "words.encoded",
  "LN(block_output of the encoder)": "words.encoded_normed",
  given: "words.given",
  "block_output of the layer below": "words.below",
  "scaled_scores where the query may attend, −∞ elsewhere": "words.open",
  "heads side by side": "words.heads",
  "heads side by side, 0 for those that are dropped": "words.dropped",
});

/** @param {Store} store @param {string} formula */
export const formulaText = (store, formula) => (formula in WORDS ? store.t(WORDS[formula]) : labelOf(store, formula));

/** Sizes are larger in a presentation. @param {Store} store */
function sizes(store) {
  if (!store.get().view.present) return { ...LARGE_SIZE, stretch: 1, letters: 11 };
  const high = window.innerHeight;
  return { gutter: high / 4, most: high / 5, stretch: 1.5, letters: 0.0235 * high };
}

class Enlarged extends Heatmap {
  /** @param {State} state */
  draw(state) {
    this.size = sizes(this.store);
    super.draw(state);
  }
}

/** @type {ViewOf} */
export const large = (root, store, slots = makeSlots()) =>
  new LargeStage(/** @type {HTMLDialogElement} */ (root), store, slots("large"));

class LargeStage extends LargeDialog {
  /** @param {HTMLDialogElement} dialog @param {Store} store @param {HTMLElement} slot */
  constructor(dialog, store, slot) {
    super(dialog, store, "#options, #sentence", store.get().framed !== null);
    this.slot = slot;
    this.framed = document.body.classList.contains("embed");
  }

  /** @type {Part["update"]} */
  update(state, previous) {
    const { dialog, store } = this;
    const name = largeStage(store.page, state)?.name ?? "";
    const fresh = this.turnTo(name, () => this.build(stageOf(store.page, name)));
    // In a frame the embedding page keeps the focus, which show() would take.
    if (name && this.framed) dialog.open = true;
    else if (name && !dialog.open) dialog.show();
    if (!name && dialog.open) dialog.close();
    for (const part of this.parts) part.update(state, fresh ? undefined : previous);
    if (fresh) this.focus(state);
  }

  /** @param {Stage} stage */
  build(stage) {
    const { store } = this;
    const { t } = store;
    const label = labelOf(store, stage.name);
    const words = stage.name === "weights"; // only weights can be between words
    const formula = h("span", { class: "formula", translate: "no" });
    const shape = h("p", { class: "shape", translate: "no" });
    const said = h("p", { class: "muted" });
    const take = { class: "take", "data-take": stage.name, "aria-label": t("share.take", { stage: label }) };
    const header = this.header(label, [formula, shape], h("button", take, "⤓"));
    const { picture, foot, sheet, shown } = this.lay(stage, label, [header, said], {}, this.slot);
    let written = "";
    const own = /** @type {Part} */ ({
      update(state) {
        const formulaNow = formulaOf(stage, state);
        if (formulaNow.mathml !== written) fill(formula, math((written = formulaNow.mathml)));
        fill(said, formulaText(store, formulaNow.formula));
        fill(shape, shapeOf(words ? inWords(state) : state, stage));
      },
      destroy: () => undefined,
    });
    const drawn = (/** @type {ConstructorParameters<typeof Heatmap>} */ ...at) => new Enlarged(...at);
    const [heatmap, explained, listed] = words
      ? [weightView(drawn), weightView(legend), weightView(table)]
      : [drawn, legend, table];
    const views = [
      heatmap(picture, store, stage, sizes(store)),
      explained(foot, store, stage),
      listed(sheet, store, stage),
    ];
    return [own, shown, ...views];
  }

  /** Focuses the picture, except in frames and presentations. @param {State} state */
  focus({ view }) {
    if (view.present) /** @type {HTMLElement | null} */ (document.activeElement)?.blur(); // undo the focus of show()
    if (view.present || this.framed) return;
    const plots = /** @type {NodeListOf<HTMLElement>} */ (this.dialog.querySelectorAll(".plot"));
    [...plots].find(isVisible)?.focus();
  }
}
