import assert from "node:assert/strict";
import test from "node:test";
import { s } from "../../../static/js/lib/svg.js";
import { newDocument } from "../support/document.js";

newDocument();

test("an element of SVG has its attributes and children; what is false is left out", () => {
  const group = s("g", { class: "axis", x: 0, hidden: false, y: null }, s("text", {}, "a"), [null, s("line")], "");
  assert.deepEqual(Object.fromEntries([...group.attributes].map(({ name, value }) => [name, value])), {
    class: "axis",
    x: "0",
  });
  assert.deepEqual(
    [...group.children].map(({ localName }) => localName),
    ["text", "line"],
  );
});
