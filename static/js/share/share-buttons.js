/** "Compare with …" and "Share & export"; what they open is fetched with the first press. */

import { fill, find, h } from "../lib/dom.js";
import { fetched } from "../lib/load.js";

/** @type {import("../core/state.js").ViewOf} */
export function share(root, store) {
  const { t } = store;
  const dialog = h("dialog", { id: "takeaway", "aria-label": t("share.title") });
  const lost = h("div", { class: "notice lost", role: "alert", hidden: true });
  const compare = h("button", { type: "button", class: "button", onclick: leave }, t("compare.open"));
  const open = h("button", { type: "button", class: "button", "data-take": "" }, t("share.title"));
  root.append(h("div", { class: "fields" }, compare, open), dialog);
  find("#main").prepend(lost);
  document.addEventListener("click", onClick);
  /** @type {((stage: string) => void) | null} */
  let show = null;

  /** Cards and the large stage have a button of their own, marked with their stage. @param {Event} event */
  async function onClick({ target }) {
    const button = target instanceof Element ? target.closest("[data-take]") : null;
    if (!(button instanceof HTMLElement) || !store.get().answer) return;
    const { view } = store.get();
    show ??= (await fetched(() => import("./share-dialog.js"))).takeaway(dialog, store);
    const pinned = store.page.stages.find(({ name }) => name === view.cell?.stage);
    show(button.dataset.take || (view.stage ?? pinned?.name ?? "weights"));
  }

  async function leave() {
    const { writePair } = await fetched(() => import("../compare/pair-address.js"));
    const { question, view } = store.get();
    const pair = /** @type {const} */ ({ a: question, b: question, view, align: "position" });
    location.assign(writePair(pair, new URL(location.href), store.page));
  }

  return {
    update(state, previous) {
      open.disabled = state.answer === null;
      if (state.lost === previous?.lost) return;
      lost.hidden = !state.lost;
      const close = h(
        "button",
        { class: "close", onclick: () => store.set({ lost: null }, { silent: true }), "aria-label": t("dialog.close") },
        "✕",
      );
      fill(
        lost,
        h("strong", {}, t("share.lost")),
        h(
          "span",
          {},
          state.lost?.code === "unknown_trace" ? t("share.lost_about") : state.lost?.message || t("problem.offline"),
        ),
        close,
      );
    },
    destroy() {
      document.removeEventListener("click", onClick);
      lost.remove();
      root.replaceChildren();
    },
  };
}
