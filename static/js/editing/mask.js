import { stageOf } from "../core/page.js";
import { deriveStore } from "../lib/derived-store.js";
import { CARD_SIZE, Heatmap } from "../matrix/heatmap.js";

const STAGE = "masked_scores";

/** @type {WeakMap<Answer, Answer>} */
const made = new WeakMap();

/** @param {Answer} answer @param {Stage} stage @returns {Answer} */
function maskAnswer(answer, stage) {
  /** @param {unknown} _ @param {import("../core/answer.js").Selection} place */
  const block = (_, place) => {
    const masked = answer.block(stage, place);
    if (!masked || masked.coarse) return null; // the numbers have not loaded
    return { ...masked, values: Float64Array.from(masked.values, (score) => Number(score !== -Infinity)) };
  };
  const known = made.get(answer) ?? Object.create(answer, { block: { value: block } });
  made.set(answer, known);
  return known;
}

/** Shows 1 where a query may attend to a key, else 0. @param {HTMLElement} root @param {Store} store @returns {Part} */
export function maskView(root, store) {
  const stage = stageOf(store.page, STAGE);
  const zeros = deriveStore(
    store,
    (from) => ({
      ...from,
      answer: from.answer && maskAnswer(from.answer, stage),
      view: { ...from.view, precision: 0 },
    }),
    null,
  );
  const plate = new Heatmap(root, zeros, { ...stage, kind: "weights" }, CARD_SIZE);
  /** @type {State | undefined} */
  let drawn;
  return {
    update() {
      const now = zeros.get();
      plate.update(now, drawn);
      drawn = now;
    },
    destroy: () => plate.destroy(),
  };
}
