/** Wraps a view so that it updates only while the stages are visible. */

/** @param {ViewOf} view @returns {ViewOf} */
export function onStages(view) {
  return (root, store, slots) => {
    /** @type {Part | undefined} */
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
