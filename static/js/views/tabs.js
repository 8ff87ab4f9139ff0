/** Ways to look at the same selection. A tab's script is fetched when the tab is first opened. */

import { look } from "../data/actions.js";
import { TABS } from "../data/address.js";
import { isBare } from "../data/state.js";
import { fill, find, h } from "../lib/dom.js";
import { fetched } from "../lib/fetched.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/state.js").Part} Part */

/** @type {Record<string, () => Promise<import("../data/state.js").ViewOf>>} */
export const OPENS = {
  heads: async () => (await import("./grid.js")).grid,
  lines: async () => (await import("./lines.js")).lines,
  gradients: async () => (await import("./gradients.js")).gradients,
  weights: async () => (await import("./weights.js")).weights,
  decode: async () => (await import("./decode.js")).decode,
  lab: async () => (await import("./lab.js")).lab,
};

const STEPS = /** @type {Record<string, number>} */ ({ ArrowLeft: -1, ArrowRight: 1 });

/** @type {import("../data/state.js").ViewOf} */
export function tabs(root, store) {
  const { t } = store;
  const names = TABS.filter((name) => name === "stages" || name in OPENS);
  const panels = find("#panels");
  /** @type {Record<string, {panel: HTMLElement, part: Part | null}>} */
  const opened = { stages: { panel: find("#pipeline"), part: null } };
  const buttons = names.map((name) =>
    h(
      "button",
      {
        role: "tab",
        id: `tab-${name}`,
        "aria-controls": name === "stages" ? "pipeline" : `panel-${name}`,
        onclick: () => look(store, { tab: name }),
        onkeydown: (/** @type {KeyboardEvent} */ event) => onKey(event, name),
      },
      t(`tab.${name}`),
    ),
  );
  root.setAttribute("role", "tablist");
  root.setAttribute("aria-label", t("tab.label"));
  root.append(...buttons);
  for (const name of names) {
    opened[name] ??= { panel: h("div", { id: `panel-${name}`, hidden: true }), part: null };
    const { panel } = opened[name];
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", `tab-${name}`);
    if (name !== "stages") panels.append(panel);
  }

  /** @param {KeyboardEvent} event @param {import("../data/address.js").Tab} name */
  function onKey(event, name) {
    const at = names.indexOf(name);
    const to = event.key === "Home" ? 0 : event.key === "End" ? names.length - 1 : at + STEPS[event.key];
    if (!Number.isInteger(to)) return;
    event.preventDefault();
    const next = (to + names.length) % names.length;
    buttons[next].focus();
    look(store, { tab: names[next] });
  }

  /** @param {string} name */
  async function open(name) {
    const place = opened[name];
    const load = OPENS[name];
    delete OPENS[name];
    const gone = `${t("problem.offline_title")} ${t("problem.retrying")}`;
    const tell = (/** @type {boolean} */ replaced) =>
      fill(place.panel, h("p", { class: "muted", role: "status" }, replaced ? t("refused.replaced") : gone));
    const view = await fetched(load, tell);
    fill(place.panel);
    place.part = view(place.panel, store);
    place.part.update(store.get(), /** @type {State} */ ({ view: {} }));
  }

  return {
    update(state, previous) {
      const { tab } = state.view;
      if (tab !== previous.view.tab) {
        names.forEach((name, index) => {
          opened[name].panel.hidden = name !== tab;
          buttons[index].setAttribute("aria-selected", String(name === tab));
          buttons[index].tabIndex = name === tab ? 0 : -1;
        });
        if (tab in OPENS) open(tab);
      }
      const bare = isBare(state);
      for (const button of buttons) button.disabled = bare;
      for (const { panel, part } of Object.values(opened)) {
        panel.inert = bare;
        part?.update(state, previous);
      }
    },
    destroy() {
      for (const { part } of Object.values(opened)) part?.destroy();
      root.replaceChildren();
    },
  };
}
