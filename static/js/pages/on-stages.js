/** A view among the stages: drawn while they are seen, and caught up when they are seen again. */

/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").ViewOf} ViewOf */

/** @param {ViewOf} view @returns {ViewOf} */
export function onStages(view) {
  return (root, store, slots) => {
    const { update, destroy } = view(root, store, slots);
    /** @type {State | undefined} */
    let drawn;
    return {
      update(state) {
        if (state.view.tab !== "stages") return;
        update(state, drawn);
        drawn = state;
      },
      destroy,
    };
  };
}
