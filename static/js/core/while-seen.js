/**
 * Builds and updates the part only while `isSeen`.
 * @param {() => Part} build @param {(state: State) => boolean} isSeen @returns {Part}
 */
export function whileSeen(build, isSeen) {
  /** @type {Part | undefined} */
  let part;
  /** @type {State | undefined} */
  let drawn;
  return {
    update(state) {
      if (!isSeen(state)) return;
      (part ??= build()).update(state, drawn);
      drawn = state;
    },
    destroy: () => part?.destroy(),
  };
}

/** @param {ViewOf} make @returns {ViewOf} */
export const onStages =
  (make) =>
  (...of) =>
    whileSeen(
      () => make(...of),
      ({ view }) => view.tab === "stages",
    );
