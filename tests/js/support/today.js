/** What every browser of today has, and Node.js 18 has not yet: every test is run with it. */

import { File } from "node:buffer";

globalThis.File ??= File;

Array.prototype.toSorted ??= function (by) {
  return [...this].sort(by);
};
Array.prototype.toReversed ??= function () {
  return [...this].reverse();
};
Array.prototype.with ??= function (at, value) {
  return this.map((own, index) => (index === at ? value : own));
};
