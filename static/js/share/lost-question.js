import { fill, h } from "../lib/dom.js";

/** @type {ViewOf} */
export function lost(root, store) {
  const { t } = store;
  const said = h("div", { class: "notice lost", role: "alert", hidden: true });
  const leave = () => store.set({ lost: null }, { silent: true });
  const close = h("button", { class: "close", onclick: leave, "aria-label": t("dialog.close") }, "✕");
  root.prepend(said);
  return {
    update(state, previous) {
      if (state.lost === previous?.lost) return;
      const unknown = state.lost?.code === "unknown_trace";
      const why = unknown ? t("share.lost_about") : state.lost?.message || t("problem.offline");
      said.hidden = !state.lost;
      fill(said, h("strong", {}, t("share.lost")), h("span", {}, why), close);
    },
    destroy: () => said.remove(),
  };
}
