/** The tokens as chips with their index; the query and key of the active cell are lit. */

import { look } from "../data/actions.js";
import { labelsOf, wordsOf } from "../data/answer.js";
import { sides, stageOf } from "../data/page.js";
import { fill, h } from "../lib/dom.js";

const MOST = 400; // chips; a longer text ends in a count

/** @typedef {import("../data/address.js").Picked["axis"]} Axis */

/** @type {import("../data/state.js").ViewOf} */
export const tokens = (root, store) => chips(root, store, "query");

/**
 * The tokens of the sentence, or those of its context.
 * @param {HTMLElement} root
 * @param {import("../data/state.js").Store} store
 * @param {Axis} own the axis that counts them
 * @returns {import("../data/state.js").Part}
 */
export function chips(root, store, own) {
  const { t } = store;
  const batch = h("select", {
    hidden: true,
    "aria-label": t("batch.label"),
    onchange: () => look(store, { batch: Number(batch.value), cell: null }),
  });
  const strip = h("ol", { class: "chips", tabindex: "0", "aria-label": t(own === "query" ? "tokens.label" : "context.tokens") });
  const count = h("span", { class: "count" });
  root.append(batch, strip, count);

  /** @param {import("../data/answer.js").Reply} reply @param {number} index */
  function draw(reply, index) {
    const labels = labelsOf(reply, index, own);
    const words = wordsOf(reply, own);
    fill(
      strip,
      labels
        .slice(0, MOST)
        .map(({ text }, at) =>
          h(
            "li",
            { class: at < words.lengths[index] ? "chip" : "chip padding" },
            text || "–",
            words.tokens && h("sub", {}, at),
          ),
        ),
    );
    const n = words.lengths[index];
    count.textContent = n === 1 ? t("tokens.one") : t("tokens.count", { n });
    fill(
      batch,
      reply.lengths.map((_, at) => {
        const text = labelsOf(reply, at)
          .slice(0, 4)
          .map((label) => label.text)
          .join(" ");
        return h("option", { value: at }, reply.tokens ? t("batch.option", { n: at + 1, text }) : at + 1);
      }),
    );
    batch.value = String(index);
    batch.hidden = own === "key" || reply.lengths.length < 2;
  }

  /** @param {import("../data/state.js").State} state */
  function light({ hover, view, answer }) {
    for (const chip of [...strip.querySelectorAll(".axis-query, .axis-key")])
      chip.classList.remove("axis-query", "axis-key");
    const active = hover ?? view.cell;
    if (!active) return;
    const { rows, cols } = sides(stageOf(store.page, active.stage));
    for (const [axis, at] of /** @type {const} */ ([
      [rows, active.row],
      [cols, active.col],
    ])) {
      const here = axis === own || (axis === "key" && !answer?.reply.context_lengths);
      if (here) strip.children[at]?.classList.add(`axis-${axis}`);
    }
  }

  return {
    update(state, previous) {
      if (!state.answer) return;
      if (state.answer !== previous.answer || state.view.batch !== previous.view.batch)
        draw(state.answer.reply, state.view.batch);
      light(state);
    },
    destroy: () => root.replaceChildren(),
  };
}
