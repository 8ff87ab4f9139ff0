import { partsOf } from "../core/pieces.js";
import { onProblem } from "../core/api.js";
import { predictionQuery, predictionRequest, predictionsOf } from "../core/predictions.js";
import { fetchPartOf } from "../core/traces.js";
import { fill } from "../lib/dom.js";
import { percent } from "../lib/percent.js";
import { formatCaption } from "./token-line.js";
import { selectedToken, currentWeights } from "./weight-row.js";

export class PredictionLine {
  /** @param {HTMLElement} line @param {Store} store */
  constructor(line, store) {
    this.line = line;
    this.store = store;
    /** @type {import("../core/predictions.js").Expected | null} */
    this.found = null;
    /** @type {Replies.Predictions | null} predictions without dropped heads, if loaded */
    this.undropped = null;
    this.ask = predictionRequest(store.page, (found) => {
      this.found = found;
      this.undropped = null;
      this.show(store.get());
      if (found && store.get().question.drop.length) this.fetchUndropped(found);
    });
  }

  /** @param {import("../core/predictions.js").Expected} found */
  async fetchUndropped(found) {
    const { question, view } = this.store.get();
    const query = predictionQuery(found.said.position, view.batch);
    const whole = await fetchPartOf({ ...question, drop: [] }, "predictions", query).catch(onProblem(() => undefined));
    if (this.found !== found) return;
    this.undropped = whole ?? null;
    this.show(this.store.get());
  }

  /** @param {State} state with an answer */
  update(state) {
    const own = selectedToken(this.store.page, state);
    if (state.status !== "ready") {
      if (own?.at !== this.found?.said.position) fill(this.line); // clears another token's line
      return;
    }
    this.ask(state, own?.axis === "query" ? own.at : null);
    this.show(state);
  }

  /** @param {State} state */
  show(state) {
    const { position = -1, top: [likeliest] = [] } = predictionsOf(state, this.found) ?? {};
    const seen = likeliest ? currentWeights(this.store.page, state) : null;
    if (!seen || seen.waits || seen.axis !== "query" || seen.at !== position) return fill(this.line);
    const values = { other: partsOf(likeliest.piece).word, weight: percent(likeliest.probability ?? 0) };
    const { t } = this.store;
    const [before] = this.undropped?.top ?? [];
    const was = before && {
      key: before.id === likeliest.id ? "sentence.expects_less" : "sentence.expects_else",
      values: { other: partsOf(before.piece).word, weight: percent(before.probability ?? 0) },
    };
    fill(
      this.line,
      t("text.between"),
      formatCaption(t, "sentence.expects", values),
      was && [t("text.between"), ...formatCaption(t, was.key, was.values)],
    );
  }
}
