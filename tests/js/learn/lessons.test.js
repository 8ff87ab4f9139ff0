import assert from "node:assert/strict";
import test from "node:test";
import { exercisesOf, exploreLink, marksOf, questionLink, stateOf } from "../../../static/js/learn/lessons.js";
import { DEFAULT_VIEW } from "../../../static/js/core/address/fields.js";
import { openAddress } from "../support/address-bar.js";
import { refused, serve } from "../support/server.js";
import { page } from "../support/sent.js";

const FIGURE = {
  name: "scores",
  question: { text: "a cat", causal: true },
  stages: ["scores"],
  view: "cards",
  look: { cell: ["scores", 1, 0], precision: 2 },
  knobs: [],
  own: false,
};

test("a figure is a state of its own question and look, whatever the address says", () => {
  openAddress("/learn/scores?text=mine&head=3&colour=red");
  const { question, view, ignored } = stateOf(page, FIGURE, "mine");
  assert.deepEqual([question.text, question.causal, ignored], ["a cat", true, []]);
  assert.deepEqual(view, { ...DEFAULT_VIEW, cell: { stage: "scores", row: 1, col: 0 }, precision: 2 });
});

test("a figure of the reader's sentence asks it, and one of a tab opens there", () => {
  openAddress("/learn/heads");
  const { question, view } = stateOf(page, { ...FIGURE, own: true, view: "heads", look: {} }, "mine");
  assert.deepEqual([question.text, question.causal, view.tab, view.cell], ["mine", true, "heads", null]);
});

test("the way to Explore leads to the same question and look, in the reader's language", () => {
  openAddress("/learn/scores?lang=zh");
  const state = stateOf(page, FIGURE, "");
  assert.equal(
    exploreLink(state, { ...page, lang: "zh" }),
    "/?lang=zh&text=a%20cat&causal=true&cell=scores.1.0&precision=2",
  );
  openAddress("/learn/scores");
  assert.equal(questionLink({ text: "a" }, page), "/?text=a");
});

test("exercises are made and marked by the server, for a seed", async () => {
  const asked = serve(({ method }) =>
    method === "GET" ? { exercises: [{ kind: "cell" }] } : { marks: [{ right: true }] },
  );
  assert.deepEqual(await exercisesOf("scores", 7), [{ kind: "cell" }]);
  assert.deepEqual(await marksOf("scores", 7, ["1", null], [2, null]), [{ right: true }]);
  assert.deepEqual(
    asked.map(({ method, path, body }) => [method, path, body]),
    [
      ["GET", "/api/v1/learn/scores/exercises?seed=7&markup=true&sentences=true", null],
      [
        "POST",
        "/api/v1/learn/scores/marks",
        { seed: 7, answers: ["1", null], tries: [2, null], markup: true, sentences: true },
      ],
    ],
  );
});

test("what the server refuses is an error in its words", async () => {
  serve(() => refused(404, "not_found", { detail: "no such chapter" }));
  await assert.rejects(exercisesOf("nothing", 1), { message: "no such chapter" });
});
