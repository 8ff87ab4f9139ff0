import assert from "node:assert/strict";
import test from "node:test";
import { chosenHeads, combinedPicture, passes, weightsOf, titleOf } from "../../../static/js/core/combined-heads.js";
import { answerOf } from "../support/made.js";
import { stateOf, storeOf } from "../support/state.js";

const SHUT = -Infinity;
const said = { shape: { num_heads: 2, num_layers: 1 } };
const MASK = [
  [1, SHUT],
  [1, 1],
];
const made = () =>
  answerOf(
    {
      weights: [
        [
          [
            [1, 0.5],
            [0.25, 0.75],
          ],
          [
            [1, 0],
            [0.5, 0.5],
          ],
        ],
      ],
      masked_scores: [[MASK, MASK]],
    },
    said,
  );

function seen(view = {}, answer = made()) {
  const state = stateOf("cat", { tab: "heads", ...view });
  return { ...state, answer, every: { answer, masked: { answer, layer: 0, head: 0 } } };
}

test("the chosen heads are combined, else the selected one; what the answer lacks is left out", () => {
  assert.deepEqual(chosenHeads(seen({ head: 1 })), [{ layer: 0, head: 1 }]);
  const heads = [
    [0, 0],
    [0, 1],
    [0, 2],
    [3, 0],
  ];
  assert.deepEqual(chosenHeads(seen({ heads })), [
    { layer: 0, head: 0 },
    { layer: 0, head: 1 },
  ]);
  assert.deepEqual(chosenHeads(seen({ heads: [[5, 5]], head: 1 })), [{ layer: 0, head: 1 }]);
  assert.deepEqual(chosenHeads({ ...seen({ heads, head: 1 }), every: null }), [{ layer: 0, head: 1 }]);
});

test("one head has its weights with the mask, which says what is closed", () => {
  const map = weightsOf(seen(), { layer: 0, head: 0 });
  assert.deepEqual(Array.from(map.values), [1, 0.5, 0.25, 0.75]);
  assert.deepEqual(Array.from(map.holes), [1, SHUT, 1, 1]);
  assert.equal(map.most, 1);
});

test("the mean and the maximum of two heads, cell by cell", () => {
  const heads = [
    [0, 0],
    [0, 1],
  ];
  assert.deepEqual(Array.from(combinedPicture(seen({ heads })).values), [1, 0.25, 0.375, 0.625]);
  assert.deepEqual(Array.from(combinedPicture(seen({ heads, combine: "max" })).values), [1, 0.5, 0.5, 0.75]);
});

test("a picture is made once", () => {
  const state = seen({
    heads: [
      [0, 0],
      [0, 1],
    ],
  });
  assert.equal(combinedPicture(state), combinedPicture(state));
  assert.notEqual(combinedPicture(state), combinedPicture({ ...state, view: { ...state.view, combine: "max" } }));
});

test("the heads of an earlier answer are not seen under the tokens of this one", () => {
  const state = seen();
  const next = answerOf({}, { ...said, trace: "f".repeat(32) });
  assert.equal(combinedPicture({ ...state, answer: next }), null);
});

test("a head passes from the threshold on, and one that is not measured passes", () => {
  const metrics = [{ layer: 0, head: 0, entropy: 0.5, distance: null }];
  const passed = (view, place = { layer: 0, head: 0 }) => passes({ ...seen(view), metrics }, place);
  assert.equal(passed({ above: null }), true);
  assert.equal(passed({ above: 0.5 }), true);
  assert.equal(passed({ above: 0.51 }), false);
  assert.equal(passed({ above: 0.1, metric: "distance" }), false);
  assert.equal(passed({ above: 9 }, { layer: 0, head: 1 }), true);
  assert.equal(passes({ ...seen({ above: 9 }), metrics: null }, { layer: 0, head: 0 }), true);
});

const store = (view) => {
  const made = storeOf("cat", view);
  const { answer } = made.get();
  made.set({ every: { answer, masked: { answer, layer: 0, head: 0 } } });
  return made;
};
const title = (view) => {
  const made = store(view);
  return titleOf(made, made.get());
};

test("one head is named by its layer and its own number", () => {
  const { t } = store();
  assert.equal(title({ tab: "heads", head: 1 }), t("heads.one", { layer: 0, head: 1 }));
  assert.match(title({ tab: "heads", head: 1 }), /0.*1/);
});

test("several heads are the mean or the maximum of so many", () => {
  const heads = [
    [0, 0],
    [0, 1],
  ];
  assert.match(title({ tab: "heads", heads }), /mean.*2/i);
  assert.match(title({ tab: "heads", heads, combine: "max" }), /max.*2/i);
});

test("among the stages it is always the selected one", () => {
  const { t } = store();
  assert.equal(
    title({
      tab: "stages",
      head: 1,
      heads: [
        [0, 0],
        [0, 1],
      ],
    }),
    t("heads.one", { layer: 0, head: 1 }),
  );
});
