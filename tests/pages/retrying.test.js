/** A server that is gone is asked again at longer and longer intervals, and so are scripts that did not come. */

import assert from "node:assert/strict";
import test, { describe } from "node:test";
import { holdPauses, hurry, later } from "./support/clock.js";
import { SEEDED, openExplore } from "./support/explore.js";
import { full } from "./support/full.js";

const REPLACED = "There is a new version of this page: reload.";

/** Loses the first replies of a path. */
function lose(page, pattern, count) {
  let tries = 0;
  page.route(pattern, () => {
    tries += 1;
    if (tries <= count) throw new TypeError("connection refused");
  });
}

/** Opens a page whose server no longer knows a script, nor the script of the page itself. */
async function openReplaced(t, address, script) {
  const page = await openExplore(t, null);
  page.route(script, () => new Response("", { status: 404 }));
  page.route(/joined\/explore\.js/, ({ method }) => method === "HEAD" && new Response("", { status: 404 }));
  await page.goto(address);
  return page;
}

full("a server is asked again after 1, 2, 4, 8 and then every 15 seconds, and anew after an answer", async (t) => {
  const page = await openExplore(t);
  const pauses = hurry(page);
  for (const [text, tries] of [
    ["gone for long", 7],
    ["gone again", 2],
  ]) {
    pauses.length = 0;
    page.unroute();
    lose(page, /attention$/, tries);
    await page.shows(await page.ask(() => page.fill(page.sentence, text)));
    assert.deepEqual(pauses, [1, 2, 4, 8, 15, 15, 15].slice(0, tries));
    assert.equal(page.one("#notice.offline"), null);
    const sent = page.asked.filter(({ path }) => path.endsWith("/attention")).slice(-tries - 1);
    assert.deepEqual(new Set(sent.map(({ body }) => body.text)), new Set([text]));
  }
});

full("scripts that did not come are requested again, and do what was pressed", async (t) => {
  const page = await openExplore(t, "/?num_layers=2");
  const pauses = hurry(page);
  const held = later();
  let tries = 0;
  page.route(/lines-tab\.js/, () => {
    tries += 1;
    if (tries < 3) throw new TypeError("connection refused");
    return held.reply;
  });
  await page.click(page.in().getByRole("tab", { name: "Lines" }));
  await page.until(() => assert.equal(tries, 3));
  const panel = page.one("#panel-lines");
  assert.match(page.in(panel).getByRole("status").textContent, /It is asked again by itself/);
  held.send();
  await page.see("#panel-lines canvas");
  assert.doesNotMatch(panel.textContent, /asked again/);

  lose(page, /share-dialog\.js/, 1);
  await page.click(page.button("Share & export"));
  const dialog = await page.in().findByRole("dialog", { name: "Share & export" });
  await page.click(page.button("Close", dialog));

  lose(page, /changed-heads\.js/, 1);
  await page.drawer();
  await page.ask(() => page.choose(page.in().getByRole("combobox", { name: /^Scale/ }), "none"));
  await page.click(page.in().getByRole("tab", { name: "Heads" }));
  await page.click(page.button("Show change"));
  await page.see(".board.change");
  assert.deepEqual(pauses, [1, 2, 1, 1]);
});

full("a page of an older version requests no script again and says reload", async (t) => {
  const page = await openExplore(t);
  const pauses = hurry(page);
  const lost = [];
  page.route(/\/static\//, ({ path }) => {
    lost.push(path);
    return Response.json({ title: "Not found" }, { status: 404 });
  });
  await page.click(page.in().getByRole("tab", { name: "Lines" }));
  await page.until(() => assert.equal(page.one("#panel-lines").textContent, REPLACED));
  assert.equal(lost.length, 2); // the script of the tab, and whether that of the page is still known
  assert.deepEqual(pauses, []);
  await page.in(page.one("#notice")).findByRole("button", { name: "Reload" });
  page.unroute();
  await page.reload();
  await page.see("#panel-lines canvas");
});

for (const [address, script] of [
  [`/?t=${"0".repeat(32)}`, /address\/short-link\.js/],
  ["/?tab=heads", /core\/all-heads\.js/],
])
  test(`a page at ${address} that is replaced before its first picture says reload`, { timeout: 60_000 }, async (t) => {
    const page = await openReplaced(t, address, script);
    await page.until(() => assert.ok(page.one("#notice").textContent.includes(REPLACED)));
    assert.equal(page.one("#notice .ignored"), null);
    assert.equal(page.address, address);
  });

full("Escape takes back what is still on its way", async (t) => {
  const page = await openExplore(t);
  for (const [name, script, place] of [
    ["Step by step", "/stepper.js", "#stepper"],
    ["Enlarge scores", "/large-stage.js", "#large"],
    ["Present", "/presentation.js", "#present"], // which loads the large stage too
  ]) {
    const held = later();
    page.route(new RegExp(`${script}$`), () => held.reply);
    await page.click(page.button(name));
    await page.until(() => assert.notEqual(page.address, SEEDED));
    await page.user.keyboard("{Escape}");
    await page.until(() => assert.equal(page.address, SEEDED));
    held.send();
    await page.until(() => assert.ok(page.scripts.some((path) => path.endsWith(script))));
    assert.ok(!page.one(place).checkVisibility());
    assert.equal(page.address, SEEDED);
    await page.click(page.button(name));
    await page.see(place);
    await page.user.keyboard("{Escape}");
    await page.until(() => assert.equal(page.address, SEEDED));
  }
});

/** A reply of a proxy before a server that is gone. */
const bare = (status, headers = {}) => new Response("<h1>Gone</h1>", { status, headers });

describe("what a tab asks", () => {
  for (const [tab, path, drawn] of [
    ["gradients", /\/gradients\?/, ".gradients canvas"],
    ["worth", /\/contributions\?/, ".worth .in-turn li"],
    ["heads", /\/probe\?/, ".found-heads li, .found-heads select"],
  ])
    test(`of ${tab} is asked again by itself`, { timeout: 60_000 }, async (t) => {
      const page = await openExplore(t, tab === "gradients" ? SEEDED : "/?source=installed&name=echo");
      const pauses = hurry(page);
      let tries = 0;
      page.route(path, () => {
        tries += 1;
        if (tries === 1) throw new TypeError("connection refused");
        if (tries === 2) return bare(503, { "Retry-After": "7" });
        return tries === 3 ? bare(502) : undefined;
      });
      await page.click(page.in().getByRole("tab", { name: new RegExp(`^${tab}`, "i") }));
      if (tab === "heads") await page.click(await page.see(".found-heads > button"));
      await page.until(() => assert.equal(tries, 4));
      await page.until(() => assert.doesNotMatch(page.one(`#panel-${tab}`).textContent, /asked again/));
      assert.ok(pauses.includes(7), `${pauses}`);
      await page.see(drawn);
      await page.arrived();
    });
});

test("a script that did not come is asked for at once when the server answers", { timeout: 60_000 }, async (t) => {
  const page = await openExplore(t);
  let tries = 0;
  page.route(/lines-tab\.js/, () => {
    tries += 1;
    if (tries === 1) throw new TypeError("connection refused");
  });
  holdPauses(page); // no time passes
  await page.click(page.in().getByRole("tab", { name: "Lines" }));
  await page.until(() => assert.match(page.one("#panel-lines").textContent, /does not answer\. It is asked again/));
  await page.click(page.in().getByRole("tab", { name: "Gradients" }));
  await page.until(() => assert.equal(tries, 2));
});
