import assert from "node:assert/strict";
import test from "node:test";
import { DoubleBuffer, namesOf } from "../../../static/js/map/double-buffer.js";
import { settle, stopClock } from "../support/clock.js";
import { later, offline, refused, serve } from "../support/server.js";
import { storeOf } from "../support/state.js";

const clock = stopClock();
const SPAN = { rows: [0, 5], cols: [0, 5] };
const EXTENT = { n: 5, m: 5, tile_size: 256, levels: 1, min: 0, max: 1 };
const tile = () => new Response(new Uint8Array(25), { headers: { "X-Shape": "5,5" } });
const usual = ({ path }) => (path.includes("/map/") ? EXTENT : tile());

/** Sheets of a sentence, and what they reported. */
function opened(reply = usual) {
  const store = storeOf("cat", { tab: "map" });
  const said = { changed: 0, progress: [], ails: [] };
  const asked = serve(reply);
  const sheets = new DoubleBuffer(store, {
    changed: () => (said.changed += 1),
    onProgress: (progress) => said.progress.push(progress),
    ails: (problem) => said.ails.push(problem?.code ?? null),
  });
  const look = (view) => {
    store.set({ view: { ...store.get().view, ...view } }, { silent: true });
    sheets.turnTo(store.get());
  };
  return { store, sheets, said, asked, look };
}

test("the first map is drawn as soon as it is measured", async () => {
  const { sheets, look, asked } = opened();
  look({});
  look({});
  assert.equal(sheets.isPending, true);
  await settle();
  assert.equal(asked.length, 1);
  assert.equal(sheets.isReady, true);
  const sheet = sheets.show();
  assert.deepEqual(sheet.size, { rows: 5, cols: 5 });
  assert.equal(sheet.tokens.key.nameOf(1), "cat");
  sheets.want(sheet, SPAN, 30);
  await settle();
  assert.equal(sheets.isPending, false);
});

test("another head takes its place once all of what is seen has come", async () => {
  const slow = later();
  const { sheets, look } = opened((request) =>
    /tiles\/weights\/0\/1/.test(request.path) ? slow.reply : usual(request),
  );
  look({});
  await settle();
  const first = sheets.show();
  look({ head: 1 });
  await settle();
  assert.equal(sheets.shown, first);
  assert.equal(sheets.isOld, true);
  sheets.want(sheets.next, SPAN, 30);
  assert.equal(sheets.isReady, false);
  slow.give(tile());
  await settle();
  assert.equal(sheets.isReady, true);
  assert.equal(sheets.show().selected.head, 1);
});

test("a head that was left while it was on its way is not drawn", async () => {
  const slow = later();
  const { sheets, look } = opened((request) =>
    /map\/weights\?layer=0&head=1/.test(request.path) ? slow.reply : usual(request),
  );
  look({});
  await settle();
  const first = sheets.show();
  look({ head: 1 });
  look({ head: 0 });
  slow.give(EXTENT);
  await settle();
  assert.equal(sheets.next, null);
  assert.equal(sheets.shown, first);
  assert.deepEqual([sheets.isPending, sheets.isOld], [false, false]);
});

test("the same map in other colours is not measured again, and keeps its exact numbers", async () => {
  const { sheets, look, asked } = opened();
  look({});
  await settle();
  const { blocks } = sheets.show();
  look({ ramp: "log", reduce: "mean" });
  assert.equal(sheets.next.spacing, "log");
  assert.equal(sheets.next.blocks, blocks);
  assert.equal(asked.length, 1);
});

test("of scores a logarithm changes colours alone", () => {
  const { store } = opened();
  const key = (view) => namesOf({ ...store.get(), view: { ...store.get().view, map: "scores", ...view } }).key;
  assert.equal(key({ ramp: "log" }), key({ ramp: "auto" }));
  assert.notEqual(key({ reduce: "mean" }), key({}));
});

test("while the server is gone what is drawn stays, and it is asked again with the next round", async () => {
  let reply = usual;
  const { sheets, look, said } = opened((request) => reply(request));
  look({});
  await settle();
  const first = sheets.show();
  reply = offline;
  look({ head: 1 });
  await settle();
  assert.deepEqual(said.ails, ["offline"]);
  assert.equal(sheets.shown, first);
  reply = usual;
  sheets.retry();
  await settle();
  assert.deepEqual(said.ails, ["offline", null]);
  assert.equal(sheets.next.selected.head, 1);
});

test("what is refused is shown, and asked for again only by a press", async () => {
  /** @type {(request: any) => any} */
  let reply = () => refused(413, "too_large");
  const { sheets, look, said, asked } = opened((request) => reply(request));
  look({});
  await settle();
  await clock.pass(60_000);
  assert.deepEqual(said.ails, ["too_large"]);
  assert.equal(asked.length, 1);
  reply = usual;
  sheets.retry();
  await settle();
  assert.equal(sheets.isReady, true);
  sheets.destroy();
});
