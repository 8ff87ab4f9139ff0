/** Methods of arrays that every browser of today has and Node.js 18 has not. A plain script: windows of jsdom run it too. */

Array.prototype.toSorted ??= function (by) {
  return [...this].sort(by);
};
Array.prototype.toReversed ??= function () {
  return [...this].reverse();
};
Array.prototype.with ??= function (at, value) {
  return this.map((own, index) => (index === at ? value : own));
};
