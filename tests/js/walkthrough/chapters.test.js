import assert from "node:assert/strict";
import test from "node:test";
import { chapterOf } from "../../../static/js/walkthrough/chapters.js";
import { CHAPTERS, subjectOf } from "../../../static/js/walkthrough/timeline.js";
import { format } from "../../../static/js/lib/numbers.js";
import { newDocument } from "../support/document.js";
import { cells } from "../support/sent.js";
import { storeOf } from "../support/state.js";

newDocument();

/** What a chapter tells of a question: its words, and what its scene shows at the end. */
function tell(name, chapter, view = {}, made = null) {
  const store = storeOf(name, view);
  const state = store.get();
  const { words, scene } = chapterOf(store, state, subjectOf(store, state), chapter, made);
  for (const t of [0, 0.5, 1]) scene?.frame(t);
  return { words, scene, shown: scene?.element.textContent ?? "", state };
}
const cell = (stage, row, col) => ({ cell: { stage, row, col } });
const number = ({ answer, view }, stage, row, col) => {
  const { values, shape } = answer.tensors.get(`layers.0.${stage}`);
  return format(values[row * shape.at(-1) + col], view.precision); // of the first sentence, the first head
};

test("every chapter covers every kind of question, without a gap", () => {
  for (const name of ["cat", "batch", "grouped", "layers", "cross", "block", "given", "open", "induction"]) {
    for (const [chapter] of CHAPTERS) {
      const { words, shown, scene } = tell(name, chapter);
      assert.ok(words && scene, `${name}: ${chapter}`);
      assert.doesNotMatch(words + shown, /NaN|undefined|[{}]|tell\.|axis\.|stage\./, `${name}: ${chapter}`);
    }
  }
});

test("a score is the sum of the products of q and k", () => {
  const { words, shown, state } = tell("cat", "scores", cell("weights", 3, 1));
  const score = number(state, "scores", 3, 1);
  assert.equal(
    words,
    `Does “the₃” look for what “cat” offers? Multiply q and k number by number, add the 4 products: ${score}.`,
  );
  assert.ok(shown.endsWith(`Σ = ${score}`), shown);
});

test("the scale is shown as a root, and the temperature where there is one", () => {
  const { shown, state } = tell("cat", "scaled_scores", cell("weights", 3, 1));
  assert.match(shown, /× \(1\/√4 = 0\.500\)=/);
  assert.ok(shown.includes(number(state, "scaled_scores", 3, 1)));
  assert.doesNotMatch(tell("block", "scaled_scores").shown, /√/);
});

test("a cell that the mask closes says so, in scores and in weights", () => {
  const shut = cell("weights", 1, 3);
  assert.match(tell("cat", "masked_scores", shut).words, /“cat” may not look at “the₃”: the score becomes −∞/);
  assert.match(tell("cat", "masked_scores", shut).shown, /closed →−∞/);
  assert.match(tell("cat", "weights", shut).words, /“the₃” is closed, so its weight is 0/);
  assert.match(tell("open", "masked_scores", cell("weights", 0, 1)).words, /may look at/);
});

test("a weight is given with the sum of the exponentials of the open scores", () => {
  const { words, scene, state } = tell("cat", "weights", cell("weights", 3, 1));
  assert.ok(words.endsWith(`“the₃” gives “cat” the weight ${number(state, "weights", 3, 1)}.`), words);
  assert.equal(scene.element.querySelectorAll(".name").length, 4); // the fifth key is closed
});

test("a context has its own row in the first chapter", () => {
  assert.match(tell("cross", "project").words, /is a row of the context/);
  assert.doesNotMatch(tell("cat", "project").words, /context/);
});

test("the first number of a query is a row of x times a column of w_q, number by number", () => {
  const step = tell("cat", "project", cell("weights", 0, 0), cells("cat")[0].q);
  assert.match(step.scene.element.getAttribute("class"), /^scene sums/);
  assert.ok(step.shown.endsWith(`Σ = ${number(step.state, "q", 0, 0)}`), step.shown);
  assert.ok(step.words.includes(`its query: ${number(step.state, "q", 0, 0)}.`), step.words);
  assert.doesNotMatch(step.words, /RoPE/);
  const turned = tell("block", "project", cell("weights", 0, 0), { ...cells("block")[0].q, value: 1234 });
  assert.match(turned.words, /\(RoPE\) then turn the query .*: in q that number is 1,?234/);
  assert.match(tell("open", "project", cell("weights", 0, 0), cells("open")[0].q).words, /with the bias/);
  assert.match(tell("block", "project", cell("weights", 0, 0), cells("block")[0].q).shown, /LN\(x\)/);
});

test("the output is a sum once it is known how it was made, with its bias, and before that rows", () => {
  const seen = cell("output", 0, 0);
  assert.equal(tell("cat", "output", seen).scene.element.getAttribute("class"), "scene strips");
  const step = tell("cat", "output", seen, cells("cat")[0].output);
  assert.match(step.scene.element.getAttribute("class"), /^scene sums/);
  assert.ok(step.words.endsWith(`is ${number(step.state, "output", 0, 0)}.`), step.words);
  assert.match(tell("open", "output", seen, cells("open")[0].output).words, /with the bias/);
});
