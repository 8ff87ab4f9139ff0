import assert from "node:assert/strict";
import test from "node:test";
import { saveFile } from "../../../static/js/lib/save-file.js";
import { stopClock } from "../support/clock.js";
import { newDocument } from "../support/document.js";

test("a file is handed over under its name, and its address is given back later", async (context) => {
  const document = newDocument();
  const clock = stopClock();
  const [made, revoked, pressed] = [[], [], []];
  context.mock.method(URL, "createObjectURL", (blob) => made.push(blob) && "blob:1");
  context.mock.method(URL, "revokeObjectURL", (address) => revoked.push(address));
  document.defaultView.HTMLAnchorElement.prototype.click = function click() {
    pressed.push([this.href, this.download]);
  };
  const blob = new Blob(["a,b"]);
  saveFile(blob, "heads.csv");
  assert.deepEqual([made, pressed, revoked], [[blob], [["blob:1", "heads.csv"]], []]);
  await clock.pass(60_000);
  assert.deepEqual(revoked, ["blob:1"]);
});
