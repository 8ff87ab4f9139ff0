/** The tokens as chips with their index; the query and key of the active cell are lit. */

import { look } from "../data/actions.js";
import { labelsOf } from "../data/answer.js";
import { sides, stageOf } from "../data/page.js";
import { fill, h } from "../lib/dom.js";

const MOST = 400; // chips; a longer text ends in a count

/** @type {import("../data/state.js").ViewOf} */
export function tokens(root, store) {
  const { t } = store;
  const batch = h("select", {
    hidden: true,
    "aria-label": t("batch.label"),
    onchange: () => look(store, { batch: Number(batch.value), cell: null }),
  });
  const strip = h("ol", { class: "chips", tabindex: "0", "aria-label": t("tokens.label") });
  const count = h("span", { class: "count" });
  root.append(batch, strip, count);

  /** @param {import("../data/answer.js").Reply} reply @param {number} index */
  function draw(reply, index) {
    const labels = labelsOf(reply, index);
    fill(
      strip,
      labels
        .slice(0, MOST)
        .map(({ text }, at) =>
          h(
            "li",
            { class: at < reply.lengths[index] ? "chip" : "chip padding" },
            text || "–",
            reply.tokens && h("sub", {}, at),
          ),
        ),
    );
    count.textContent = t("tokens.count", { n: reply.lengths[index] });
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
    batch.hidden = reply.lengths.length < 2;
  }

  /** @param {import("../data/state.js").State} state */
  function light({ hover, view }) {
    for (const chip of [...strip.querySelectorAll(".axis-query, .axis-key")])
      chip.classList.remove("axis-query", "axis-key");
    const active = hover ?? view.cell;
    if (!active) return;
    const { rows, cols } = sides(stageOf(store.page, active.stage));
    for (const [axis, at] of /** @type {const} */ ([
      [rows, active.row],
      [cols, active.col],
    ])) {
      if (axis === "query" || axis === "key") strip.children[at]?.classList.add(`axis-${axis}`);
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
