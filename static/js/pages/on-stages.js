/** Updated only while the stages are visible. */

/** @typedef {import("../core/state.js").ViewOf} ViewOf */

/** @param {ViewOf} view @returns {ViewOf} */
export function onStages(view) {
  return (root, store, slots) => {
    /** @type {import("../core/state.js").Part | undefined} */
    let part;
    /** @type {State | undefined} */
    let drawn;
    return {
      update(state) {
        if (state.view.tab !== "stages") return;
        part ??= view(root, store, slots);
        part.update(state, drawn);
        drawn = state;
      },
      destroy: () => part?.destroy(),
    };
  };
}
