import assert from "node:assert/strict";
import test from "node:test";
import { saveFile } from "../../../static/js/lib/save-file.js";
import { newDocument } from "../support/document.js";

test("a file is handed over under its name, and its address is given back later", (context) => {
  const document = newDocument();
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const [made, revoked, pressed] = [[], [], []];
  context.mock.method(URL, "createObjectURL", (blob) => made.push(blob) && "blob:1");
  context.mock.method(URL, "revokeObjectURL", (address) => revoked.push(address));
  document.defaultView.HTMLAnchorElement.prototype.click = function click() {
    pressed.push([this.href, this.download]);
  };
  const blob = new Blob(["a,b"]);
  saveFile(blob, "heads.csv");
  assert.deepEqual([made, pressed, revoked], [[blob], [["blob:1", "heads.csv"]], []]);
  context.mock.timers.tick(60_000);
  assert.deepEqual(revoked, ["blob:1"]);
});
