import assert from "node:assert/strict";
import test from "node:test";
import { LeftOutChoice, leftOutWords, titleWithout } from "../../../static/js/matrix/left-out.js";
import { newDocument } from "../support/document.js";
import { storeOf } from "../support/state.js";

newDocument();

test("titles and notes name the keys that are left out", () => {
  const store = storeOf("cat", { tab: "heads", skip: [0] });
  const said = titleWithout(store, store.get(), "Mean");
  assert.notEqual(said, "Mean");
  assert.ok(said.includes("Mean"));
  assert.notEqual(leftOutWords(store, store.get()), "");
  assert.equal(titleWithout(store, store.get(), "Mean", []), "Mean");
  assert.equal(leftOutWords(store, store.get(), "heads.skip_cell", []), "");
});

test("without such keys a title stays as it is, and there is no note", () => {
  const store = storeOf("cat", { tab: "heads" });
  assert.equal(titleWithout(store, store.get(), "Mean"), "Mean");
  assert.equal(leftOutWords(store, store.get()), "");
});

test("the menu offers no keys, the first key and the keys that are left out", () => {
  const store = storeOf("cat", { tab: "heads", skip: [1] });
  const choice = new LeftOutChoice(store);
  choice.show(store.get());
  assert.deepEqual(
    [...choice.menu.options].map(({ value }) => value),
    ["", "0", "1"],
  );
  assert.deepEqual([choice.menu.value, choice.menu.disabled], ["1", false]);
  assert.equal(choice.root.title, store.t("heads.skip_about"));
  assert.doesNotMatch(choice.root.title, /\{/);
});
