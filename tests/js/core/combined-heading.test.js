import assert from "node:assert/strict";
import test from "node:test";
import { titleOf } from "../../../static/js/core/combined-heading.js";
import { storeOf } from "../support/state.js";

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
