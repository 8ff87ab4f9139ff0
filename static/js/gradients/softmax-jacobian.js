import { JACOBIAN, jacobianOf, rowOf } from "./derivatives.js";
import { h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { Heatmap } from "../matrix/heatmap.js";
import { legend } from "../matrix/legend.js";
import { nameOf } from "../matrix/names.js";

const SIZE = { most: 84, gutter: 62 };

/**
 * @param {HTMLElement} root @param {Store} store
 * @param {import("./derivatives.js").Lens} seen @returns {Part}
 */
export function jacobian(root, store, seen) {
  const { t, page } = store;
  const title = h("h3");
  const about = h("p", { class: "muted" });
  const [picture, foot] = [h("div"), h("div")];
  root.classList.add("card");
  root.dataset.kind = "map";
  root.dataset.stage = JACOBIAN.name;
  root.append(h("header", {}, title), about, picture, foot);
  /** @type {{key: string, made: ReturnType<typeof jacobianOf>}} */
  let kept = { key: "", made: null };

  /** @param {State} state */
  function take(state) {
    const { of } = /** @type {import("./derivatives.js").Derivatives} */ (state.answer);
    const { batch, layer, head } = state.view;
    const key = JSON.stringify([of.reply.trace, batch, layer, head, rowOf(page, state)]);
    if (key !== kept.key) kept = { key, made: jacobianOf(page, { ...state, answer: of }, rowOf(page, state)) };
    return kept.made;
  }

  class Plate extends Heatmap {
    /** @param {State} state */
    take(state) {
      const made = take(state);
      if (made !== this.picture) this.painted = "";
      return made;
    }
  }

  const plate = new Plate(picture, seen.store, JACOBIAN, SIZE);
  const ramp = legend(foot, seen.store, JACOBIAN, take);
  return {
    update(state, previous) {
      const before = kept.made;
      const made = take(state);
      const query = nameOf(state, "query", rowOf(page, state));
      title.textContent = t("gradients.jacobian", { query });
      about.textContent = made
        ? t("gradients.jacobian_about", { query, norm: format(made.norm, state.view.precision) })
        : t("gradients.jacobian_large", { limit: page.limits.max_jacobian_keys });
      picture.hidden = foot.hidden = !made;
      if (made !== before) plate.draw(state);
      plate.update(state, previous);
      ramp.update(state, made === before ? previous : undefined);
    },
    destroy() {
      plate.destroy();
      ramp.destroy();
      root.replaceChildren();
    },
  };
}
