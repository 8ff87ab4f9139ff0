/** Three suggestions, each shown until it is used. */

import { setView } from "../core/actions.js";
import { isCaptured, isRandom } from "../core/question.js";
import { setField } from "../core/question-changes.js";
import { labelsOf } from "../core/answer.js";
import { toggleDrop, isDropped } from "../core/dropped-head.js";
import { partsOf } from "../core/pieces.js";
import { predictionRequest, predictionsOf } from "../core/predictions.js";
import { isBare } from "../core/state.js";
import { fill, h } from "../lib/dom.js";
import { save } from "../lib/local-storage.js";
import { format } from "../lib/numbers.js";
import { percent } from "../lib/percent.js";
import { nameOf } from "../matrix/names.js";
import { KEPT, LINES, hasPlace, reserveLines, used } from "./lines-place.js";
import { formatCaption, questionOf } from "./token-line.js";
import { selectedToken, weightsOf, withWeights } from "./weight-row.js";

/**
 * @typedef {{name: string, says?: string, values: Record<string, string | number>, press: () => void}} Line `says`:
 * message, if not `name`
 */

const LOOKED = /** @type {const} */ (["question", "view", "answer", "status", "problem", "exact", "named"]);

/** @type {ViewOf} */
export const threeLines = (root, store) => new ThreeLines(root, store);

class ThreeLines {
  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    this.root = root;
    this.store = store;
    this.pieces = store.base ?? store; // the model predicts pieces
    /** @type {import("../core/predictions.js").Expected | null} */
    this.found = null;
    this.drawn = "";
    this.used = used();
    this.ask = predictionRequest(store.page, (found) => {
      this.found = found;
      this.show(store.get());
    });
  }

  /** @type {Part["update"]} */
  update(state, previous) {
    if (previous && LOOKED.every((name) => state[name] === previous[name])) return;
    if (this.used.length >= LINES.length) return void (this.root.hidden = true);
    if (previous && isRandom(state.question) !== isRandom(previous.question)) reserveLines(this.root, state);
    const pieces = this.pieces.get();
    if (state.status === "ready") this.ask(pieces, this.positionIn(pieces));
    this.show(state);
  }

  /** @param {State} state */
  positionIn(state) {
    const own = selectedToken(this.store.page, state);
    return own?.axis === "query" ? own.at : null;
  }

  /** @param {State} state */
  show(state) {
    const lines = isBare(state) || !hasPlace(state) ? [] : this.linesOf(state);
    const key = JSON.stringify(lines.map(({ name, says, values }) => [name, says, values]));
    this.root.hidden = lines.length === 0;
    if (key === this.drawn) return;
    this.drawn = key;
    const { t } = this.store;
    const close = h("button", { type: "button", class: "close", onclick: () => this.use(LINES) }, "✕");
    close.setAttribute("aria-label", t("sentence.try.close"));
    const items = lines.map(({ name, says, values, press }) => {
      const button = h("button", { type: "button", onclick: () => (this.use([name]), press()) });
      const line = h("span", {}, formatCaption(t, `sentence.try.${says ?? name}`, values));
      button.append(line, h("small", {}, t(`sentence.try.${name}.does`)));
      return h("li", {}, button);
    });
    fill(this.root, h("header", {}, h("h2", {}, t("sentence.try.title")), close), h("ol", {}, items));
  }

  /** Unused suggestions that apply. @param {State} state */
  linesOf(state) {
    const picture = weightsOf(this.store.page, state);
    const row = this.positionIn(state);
    const best = picture && row !== null ? withWeights(picture, { axis: "query", at: row }, "lines").best : null;
    if (row === null || !best) return [];
    const token = nameOf(state, "query", row).trim();
    const other = nameOf(state, "key", best.at).trim();
    const { layer, head, batch } = state.view;
    const labels = labelsOf(/** @type {Answer} */ (state.answer).reply, batch, "key");
    const acts = !isDropped(questionOf(state), { layer, head });
    const said = predictionsOf(state, this.found);
    const [likeliest] = said?.position === this.positionIn(this.pieces.get()) ? said.top : [];
    const cell = { stage: "weights", row, col: best.at };
    /** @type {(Line | undefined | false)[]} */
    const lines = [
      {
        name: "looks",
        says: isRandom(questionOf(state)) ? "random" : "looks",
        values: { token, other, weight: format(best.weight, 2) },
        press: () => setView(this.store, { cell }),
      },
      likeliest && {
        name: "expects",
        // Say "so" only if the head attends most to the expected piece.
        says: acts && partsOf(likeliest.piece).word === partsOf(labels[best.at].text).word ? "so" : "expects",
        values: { other: partsOf(likeliest.piece).word, weight: percent(likeliest.probability ?? 0) },
        press: () => setView(this.store, { tab: "worth" }),
      },
      !isCaptured(state.question) &&
        acts && {
          name: "drop",
          values: { layer, head },
          press: () => setField(this.store, "drop", toggleDrop(state.question, { layer, head })),
        },
    ];
    return lines.flatMap((line) => (line && !this.used.includes(line.name) ? [line] : []));
  }

  /** @param {string[]} names */
  use(names) {
    save(KEPT, [...new Set([...used(), ...names])].join(" "));
    this.used = used();
    this.update(this.store.get());
  }

  destroy() {
    this.root.replaceChildren();
  }
}
