import { mayPrefetch } from "../core/state.js";
import { fill } from "../lib/dom.js";
import { lazyLoad } from "../lib/load.js";
import { drawerIn, expectFields } from "./drawer.js";

/** Drawer whose fields load after the first picture or when opened. @type {ViewOf} */
export function options(root, store) {
  const { summary, drawer, open, update } = drawerIn(root, store);
  /** @type {Part | null} */
  let fields = null;
  /** @type {typeof import("./options.js") | null} */
  let script = null;
  let loading = false;

  async function fetchFields() {
    script = await lazyLoad(() => import("./options.js"));
    await script.turn();
    fields = script.fields(drawer, store);
    show(store.get());
  }

  /** @param {State} state @param {State} [previous] */
  function show(state, previous) {
    if (script?.asksForFiles(state, previous)) open();
    fields?.update(state, previous);
    if (script?.hasNewRefusal(drawer, state, previous)) open();
  }

  function load() {
    if (!loading) expectFields(fetchFields());
    loading = true;
  }

  summary.addEventListener("click", load);
  return {
    update(state, previous) {
      if (mayPrefetch(state)) load();
      update(state, previous);
      show(state, previous);
    },
    destroy: () => fill(root),
  };
}
