import { setView } from "../core/actions.js";
import { inWords, ofWeights } from "../core/in-words.js";
import { h } from "../lib/dom.js";
import { makeSlots } from "../lib/slots.js";
import { LeftOutChoice, leftOutWords } from "../matrix/left-out.js";

/** @type {ViewOf} */
export const leftOutNotes = (_, store, slots = makeSlots()) => {
  const { t } = store;
  const [onCard, onLarge, onCell] = /** @type {const} */ (["span", "p", "p"]).map((tag) => h(tag, { class: "muted" }));
  const all = h("button", { type: "button", onclick: () => setView(store, { skip: [] }) }, t("heads.skip_end"));
  const card = h("p", { class: "left-out", hidden: true }, onCard, " ", all);
  const choice = new LeftOutChoice(store);
  const large = h("div", { class: "left-out", hidden: true }, choice.root, onLarge);
  slots("legend.weights").append(card);
  slots("large").append(large);
  slots("cell").append(onCell);
  onCell.hidden = true;
  return {
    update(state) {
      const { answer, view } = state;
      if (!answer) return;
      const among = view.tab === "stages";
      const past = ofWeights(state) !== inWords(state); // the numbers without these keys have arrived
      const said = past ? `${leftOutWords(store, state)} ${t("heads.skip_later")}` : "";
      card.hidden = !among || !past;
      onCard.textContent = onLarge.textContent = said;
      large.hidden = !among || view.stage !== "weights";
      if (!large.hidden) choice.show(state);
      onCell.hidden = !past || view.cell?.stage !== "weights";
      onCell.textContent = leftOutWords(store, state, "heads.skip_cell");
    },
    destroy() {
      for (const part of [card, large, onCell]) part.remove();
    },
  };
};
