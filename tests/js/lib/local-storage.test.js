import assert from "node:assert/strict";
import test from "node:test";
import { save, readText } from "../../../static/js/lib/local-storage.js";

/** @param {() => string | null} getItem @param {(name: string, text: string) => void} setItem */
const storage = (getItem, setItem) =>
  Object.defineProperty(globalThis, "localStorage", { value: { getItem, setItem }, configurable: true });

test("what is kept is there at the next visit", () => {
  const kept = new Map();
  storage(
    (name) => kept.get(name) ?? null,
    (name, text) => kept.set(name, text),
  );
  assert.equal(readText("a"), null);
  save("a", "1");
  assert.equal(kept.get("a"), "1");
  assert.equal(readText("a"), "1");
});

test("where storage is refused it lasts for the visit", () => {
  const refuse = () => {
    throw new Error("refused");
  };
  storage(refuse, refuse);
  assert.equal(readText("b"), null);
  save("b", "2");
  assert.equal(readText("b"), "2");
});

test("where storage is full the newest text lasts for the visit, and what another window writes later is read", () => {
  const kept = new Map([["c", "old"]]);
  let full = true;
  storage(
    (name) => kept.get(name) ?? null,
    (name, text) => {
      if (full) throw new Error("full");
      kept.set(name, text);
    },
  );
  save("c", "new");
  assert.equal(readText("c"), "new");
  full = false;
  save("c", "newer");
  kept.set("c", "of another window");
  assert.equal(readText("c"), "of another window");
});
