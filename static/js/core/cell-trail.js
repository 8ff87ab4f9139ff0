import { setView } from "./actions.js";
import { stagesOn, headAxis, stageOf } from "./page.js";

/** @param {Reply["shape"]} shape @param {number} kvHead */
export const firstQueryHead = ({ num_heads, num_kv_heads }, kvHead) => (kvHead * num_heads) / num_kv_heads;

/** @param {Store} store @param {Operand} operand */
export function follow(store, operand) {
  const { view, trail, answer } = store.get();
  const { cell, layer, head } = view;
  const visited = cell ? [...trail, { ...cell, layer, head }] : trail;
  goTo(store, { ...operand, head: answer ? headOf(store, answer, operand) : head }, visited);
  // A word's weight is computed from weights of pieces.
  if (cell?.stage === "weights" && operand.stage === "weights") setView(store, { tokens: "pieces" }, { replace: true });
}

/** @param {Store} store @param {Answer} answer @param {Operand} operand */
function headOf(store, answer, operand) {
  const { head } = store.get().view;
  const stage = stageOf(store.page, operand.stage);
  if (operand.head === null || answer.ownHead(stage, head) === operand.head) return head;
  return headAxis(stage) === "kv_head" ? firstQueryHead(answer.reply.shape, operand.head) : operand.head;
}

/** @param {Store} store @param {number} index */
export function returnTo(store, index) {
  const { trail } = store.get();
  goTo(store, trail[index], trail.slice(0, index));
}

/** @param {Store} store @param {Visited} place @param {Visited[]} trail */
function goTo(store, { stage, row, col, layer, head }, trail) {
  const { view } = store.get();
  const isDrawn = stagesOn(store.page).some(({ name }) => name === stage);
  const large = view.stage && isDrawn ? stage : view.stage; // the enlarged stage follows the cell
  store.set({ view: { ...view, layer, head, cell: { stage, row, col }, stage: large }, trail, hover: null });
}
