import assert from "node:assert/strict";
import test from "node:test";
import { HeadTile } from "../../../static/js/heads/head-tile.js";
import { newDocument } from "../support/document.js";
import { storeOf } from "../support/state.js";

newDocument();

const isGone = ({ root }) => root.getAttribute("class").split(" ").includes("gone");

test("a dropped head says so on its tile, and no other does", () => {
  const store = storeOf("cat");
  const state = store.get();
  const dropped = { ...state, question: { ...state.question, drop: [[0, 1]] } };
  for (const head of [0, 1]) {
    const tile = new HeadTile({ layer: 0, head });
    tile.mark(store, dropped, { own: undefined, chosen: false, out: false });
    const name = `layer 0, head ${head}`;
    assert.equal(isGone(tile), head === 1);
    assert.equal(tile.canvas.getAttribute("aria-label"), head === 1 ? `${name}, dropped` : name);
    tile.mark(store, state, { own: undefined, chosen: false, out: false });
    assert.equal(isGone(tile), false);
    assert.equal(tile.canvas.getAttribute("aria-label"), name);
  }
});
