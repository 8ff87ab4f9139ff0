/** The lit cell in A, in B and as their difference, in a line that stays in sight. */

import { writeAddress } from "../data/address.js";
import { SIDES } from "../data/comparing.js";
import { bodyOf } from "../data/question.js";
import { signed } from "../data/difference.js";
import { stageOf } from "../data/page.js";
import { pictureOf } from "../data/pictures.js";
import { selection } from "../data/state.js";
import { fill, h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { closed } from "../lib/paint.js";
import { labelOf, placeOf } from "./words.js";

/** @typedef {import("../data/comparing.js").Comparison} Comparison */
/** @typedef {import("../data/comparing.js").PairStore} PairStore */
/** @typedef {import("../data/state.js").Store} Store */

/** What one question differs in at a press. @type {Record<string, (question: any) => object>} */
const CHANGES = {
  seed: ({ model }) => ({ model: { ...model, seed: (model.seed ?? 0) + 1 } }),
  mask: () => ({ causal: false }),
  scale: () => ({ scale: "none" }),
  temperature: () => ({ temperature: 2 }),
};

/**
 * @param {HTMLElement} root
 * @param {PairStore} store
 * @param {Record<"a" | "b" | "difference", Store>} stores
 */
export function trio(root, store, stores) {
  const { t } = store;
  const pair = stores.difference;
  const spoken = h("p", { class: "hidden", "aria-live": "polite" });
  const line = h("div", { class: "line" });
  root.append(line, spoken);

  /** @param {"a" | "b" | "difference"} name @returns {string} */
  function value(name) {
    const state = stores[name].get();
    const cell = state.hover ?? state.view.cell;
    if (!state.answer || !cell) return "–";
    const stage = stageOf(store.page, cell.stage);
    const picture = pictureOf(store.page, state.answer, name === "difference" ? signed(stage) : stage, selection(state));
    if (!picture || cell.row >= picture.rows || cell.col >= picture.cols) return "–";
    const number = picture.values[cell.row * picture.cols + cell.col];
    if (!closed(picture, cell.row, cell.col)) {
      const text = format(number, state.view.precision);
      return name === "difference" && number > 0 ? `+${text}` : text;
    }
    return name === "difference" ? "–" : t("legend.masked");
  }

  /** @param {Comparison} state @param {"a" | "b"} name */
  function explore(state, name) {
    const { view } = stores[name].get();
    return writeAddress({ question: state[name].question, view }, new URL("/", location.href), store.page);
  }

  /** @param {Comparison} state @param {import("../data/address.js").Cell} cell */
  function values(state, cell) {
    const names = /** @type {const} */ (["a", "b", "difference"]);
    const where = placeOf(pair, pair.get(), cell);
    const title = `${labelOf(pair, cell.stage)}, ${where}`;
    const told = names.map((name) => [t(`compare.${name}`), value(name)]);
    if (state.hover?.keys) spoken.textContent = `${title}: ${told.map((each) => each.join(" ")).join(", ")}`;
    fill(
      line,
      h("b", { class: "cell" }, title),
      h(
        "dl",
        {},
        names.map((name, at) => h("div", { "data-of": name }, h("dt", {}, told[at][0]), h("dd", {}, told[at][1]))),
      ),
      !state.hover &&
        SIDES.filter((name) => stores[name].get().view.cell).map((name) =>
          h("a", { class: "explain", href: explore(state, name) }, t(`compare.explain.${name}`)),
        ),
    );
  }

  /** @param {Comparison} state */
  function alike(state) {
    const applies = Object.entries(CHANGES).filter(([name]) => name !== "seed" || "seed" in state.b.question.model);
    fill(
      line,
      h("span", { class: "muted" }, t("compare.alike")),
      applies.map(([name, change]) =>
        h(
          "button",
          {
            type: "button",
            class: "button",
            onclick: () => {
              const { b } = store.get();
              store.set({ b: { ...b, question: { ...b.question, ...change(b.question) } } });
            },
          },
          t(`compare.try.${name}`),
        ),
      ),
    );
  }

  return {
    /** @param {Comparison} state */
    update(state) {
      const cell = state.hover ?? state.view.cell;
      const same =
        JSON.stringify(bodyOf(state.a.question)) === JSON.stringify(bodyOf(state.b.question));
      if (cell && pair.get().answer) values(state, cell);
      else if (same) alike(state);
      else fill(line, h("span", { class: "muted" }, t("compare.hint")));
    },
  };
}
