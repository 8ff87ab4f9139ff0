/**
 * Updates the part only while it is visible; its `previous` is the state that it last drew.
 * @param {Part} part @param {(state: State) => boolean} isSeen @returns {Part}
 */
export function whileSeen(part, isSeen) {
  /** @type {State | undefined} */
  let drawn;
  return {
    update(state) {
      if (!isSeen(state)) return;
      part.update(state, drawn);
      drawn = state;
    },
    destroy: () => part.destroy(),
  };
}
