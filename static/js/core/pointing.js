import { setView } from "./actions.js";

/** @param {Store} store @param {Axis} axis @param {number | null} at */
export function point(store, axis, at) {
  const { pointed } = store.get();
  if (pointed?.axis === axis && pointed.at === at) return;
  if (at !== null || pointed) store.set({ pointed: at === null ? null : { axis, at } }, { silent: true });
}

/** @param {Store} store @param {Axis} axis @param {number} token @param {boolean} more keeps the other picked tokens */
export function togglePick(store, axis, token, more) {
  const { picked } = store.get().view;
  const before = picked?.axis === axis ? picked.at : [];
  const rest = before.filter((each) => each !== token);
  const alone = before.length === 1 && rest.length === 0;
  const at = more ? (rest.length < before.length ? rest : [...before, token]) : alone ? [] : [token];
  setView(store, { picked: at.length ? { axis, at } : null });
}

/** @param {Event} event */
export function tokenOfEvent({ target }) {
  const item = target instanceof Element ? target.closest("li") : null;
  return item ? Number(item.dataset.at) : null;
}

/** @param {Store} store */
export function unpin(store) {
  store.set({ view: { ...store.get().view, cell: null }, trail: [] });
}

/** @param {Store} store @param {Cell} cell */
export function togglePin(store, { stage, row, col }) {
  const { view } = store.get();
  const again = view.cell?.stage === stage && view.cell.row === row && view.cell.col === col;
  store.set({ view: { ...view, cell: again ? null : { stage, row, col }, after: null }, trail: [] });
}
