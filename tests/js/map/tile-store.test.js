import assert from "node:assert/strict";
import test from "node:test";
import { Problem } from "../../../static/js/core/api.js";
import { TileStore } from "../../../static/js/map/tile-store.js";
import { settle, stopClock } from "../support/clock.js";
import { later } from "../support/server.js";

const clock = stopClock();
const TILE = { rows: 1, cols: 2, codes: Uint8Array.of(1, 2) };

/** A store with its calls, and tiles that come when they are let. */
function stocked() {
  const said = { came: 0, ails: [] };
  const store = new TileStore(
    () => (said.came += 1),
    (problem) => said.ails.push(problem?.code ?? null),
  );
  const asked = [];
  const tile = (name, reply = Promise.resolve(TILE)) => ({
    name,
    ask: (signal) => {
      asked.push({ name, signal });
      return reply;
    },
  });
  return { store, said, asked, tile };
}
const names = (asked) => asked.map(({ name }) => name);

test("what is wanted is asked for once, and kept", async () => {
  const { store, said, asked, tile } = stocked();
  store.want([tile("a"), tile("b")]);
  store.want([tile("a"), tile("b")]);
  assert.equal(store.isPending, true);
  await settle();
  store.want([tile("b"), tile("a")]);
  assert.deepEqual(names(asked), ["a", "b"]);
  assert.equal(store.isPending, false);
  assert.equal(said.came, 2);
  assert.equal(store.get("a").open, true);
});

test("no more than four at once, the most wanted first", async () => {
  const { store, asked, tile } = stocked();
  const first = later();
  store.want([tile("a", first.reply), ..."bcdef".split("").map((name) => tile(name, new Promise(() => {})))]);
  assert.deepEqual(names(asked), ["a", "b", "c", "d"]);
  first.give(TILE);
  await settle();
  assert.deepEqual(names(asked), ["a", "b", "c", "d", "e"]);
});

test("what is out of sight is called back, and what comes of it is not kept", async () => {
  const { store, said, asked, tile } = stocked();
  const slow = later();
  store.want([tile("a", slow.reply)]);
  store.want([tile("b")]);
  assert.equal(asked[0].signal.aborted, true);
  slow.give(TILE);
  await settle();
  assert.equal(store.get("a"), undefined);
  assert.equal(said.came, 1);
});

test("a tile with a closed cell is told apart", async () => {
  const { store, tile } = stocked();
  store.want([tile("a", Promise.resolve({ ...TILE, codes: Uint8Array.of(1, 255) }))]);
  await settle();
  assert.equal(store.get("a").open, false);
});

test("while no answer comes nothing is asked until somebody asks again, and it is said when tiles come again", async () => {
  const { store, said, asked, tile } = stocked();
  let reply = Promise.reject(new Problem({}));
  store.want([{ name: "a", ask: () => (asked.push({ name: "a" }), reply) }, tile("b", new Promise(() => {}))]);
  await settle();
  store.want([...store.wanted]);
  await clock.pass(60_000);
  assert.equal(asked.length, 2);
  reply = Promise.resolve(TILE);
  store.retry();
  await settle();
  assert.equal(asked.length, 3);
  assert.deepEqual(said.ails, ["offline", null]);
  assert.ok(store.get("a"));
});

test("what is refused for good is not asked for again until somebody tries again", async () => {
  const { store, said, asked } = stocked();
  const wanted = [
    { name: "a", ask: () => (asked.push("a"), Promise.reject(new Problem({ status: 404, code: "not_found" }))) },
  ];
  store.want(wanted);
  await settle();
  store.want(wanted);
  await clock.pass(60_000);
  assert.equal(asked.length, 1);
  assert.equal(store.isPending, false);
  assert.deepEqual(said.ails, ["not_found"]);
  store.retry();
  store.want(wanted);
  assert.equal(asked.length, 2);
});

test("what nobody looked at longest is forgotten", async () => {
  const { store, tile } = stocked();
  for (let at = 0; at < 193; at++) {
    store.want([tile(`tile ${at}`)]);
    await settle();
  }
  assert.equal(store.get("tile 0"), undefined);
  assert.ok(store.get("tile 192"));
});

test("it leaves nothing behind", async () => {
  const { store, asked, tile } = stocked();
  store.want([tile("a", new Promise(() => {}))]);
  store.destroy();
  assert.equal(asked[0].signal.aborted, true);
  assert.equal(clock.waiting, 0);
});
