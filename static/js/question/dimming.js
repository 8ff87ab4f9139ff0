/** Pictures of another question than the one that is asked are dimmed, where its answer keeps somebody waiting. */

/** @param {import("../core/state.js").Store} store */
export function startDimming(store) {
  let answered = store.get().question;
  store.subscribe(({ question, status }) => {
    if (status === "ready") answered = question;
    document.body.toggleAttribute("data-outdated", status === "slow" && question !== answered);
  });
}
