/** What a head is worth: dropped in turn, and by what it adds to the logit. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { written } from "./support/cells.js";
import { onePage } from "./support/one-page.js";
import { textOf, textsOf } from "./support/texts.js";

const ECHO = `/?text=${encodeURIComponent("Winston Churchill met Harry Truman. Winston")}&source=installed&name=echo`;

const panel = (page) => page.one("#panel-worth");
const figure = (value) => written(value, 2);
const number = (text) => Number(text.replace("−", "-"));
const sum = (page) => textOf(page.one(".sum .number", panel(page)));
const choice = (page) => page.in(panel(page)).getByRole("combobox", { name: "piece" });

/** Waits until the sum of the parts is this logit. */
const sumsTo = (page, { logit }) => page.until(() => assert.equal(sum(page), `= ${figure(logit)}`));

/** Where the bars begin and end, in hundreds of the track. */
const bars = (page, rows) =>
  page.all(`${rows} .bar`, panel(page)).map(({ style }) => [style.left, style.width].map(parseFloat));

async function openWorth(visit, more = "") {
  const page = await visit(`${ECHO}&tab=worth${more}`);
  await page.until(() => assert.ok(page.one("table", panel(page))));
  await page.until(() =>
    assert.ok(page.one(".in-turn button", panel(page)) && page.one(".running", panel(page)).hidden),
  );
  return page;
}

describe("worth", () => {
  const visit = onePage();

  test("every head is dropped in turn, and the selected one for good", async () => {
    const page = await openWorth(visit, "&after=3");
    const { heads } = await page.fromTrace("ablations", { position: 3 });
    const changes = heads.flat().map(({ change }) => change);
    assert.ok(Math.min(...changes) < 0 && Math.max(...changes) > 0);
    const rows = page.all(".in-turn button", panel(page));
    const numbers = textsOf(page.all(".in-turn .number", panel(page)));
    assert.deepEqual(
      numbers,
      changes.map((change) => (change > 0 ? "+" : "") + figure(change)),
    );
    const longest = changes.map(Math.abs).indexOf(Math.max(...changes.map(Math.abs)));
    const widths = bars(page, ".in-turn").map(([, width]) => width);
    changes.forEach((change, at) =>
      assert.ok(Math.abs(widths[at] / widths[longest] - Math.abs(change / changes[longest])) < 1e-3, numbers[at]),
    );
    await page.click(rows[longest]);
    const [layer, head] = [Math.floor(longest / heads[0].length), longest % heads[0].length];
    await page.addressHas(head ? `head=${head}` : `layer=${layer}`);
    const selected = () => textOf(page.one(".selected", panel(page)));
    await page.until(() => assert.ok(selected().includes(`Without layer ${layer}, head ${head}`)));
    await page.click(page.in(panel(page)).getByRole("button", { name: "Drop it" }));
    await page.addressHas(`drop=${layer}.${head}`);
    await page.until(() => assert.ok(selected().includes("is dropped")));
    await page.until(() => assert.ok(textOf(page.one("#predictions")).includes("before and now")));
  });

  test("the sum comes first, heads as they are dropped, and a run can be stopped and begun again", async () => {
    const page = await visit(`${ECHO}&after=2`);
    const { token, log_probability, heads } = await page.fromTrace("ablations", { position: 2 });
    const about = { position: 2, token, log_probability };
    const events = [
      { done: 0, of: 8, ...about, heads: [] },
      { done: 1, of: 8, ...about, heads: [{ layer: 1, head: 3, ...heads[1][3] }] },
    ];
    /** @type {any} */
    let give;
    page.route(/\/ablations/, () => {
      const body = new ReadableStream({
        start: (sent) => (give = (text) => sent.enqueue(new TextEncoder().encode(text))),
      });
      return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
    });
    await page.click(page.in().getByRole("tab", { name: "Worth" }));
    await page.until(() => assert.ok(give && page.one("table", panel(page))));
    assert.equal(page.all(".in-turn button", panel(page)).length, 0);
    for (const each of events) give(`event: progress\ndata: ${JSON.stringify(each)}\n\n`);
    await page.until(() => assert.deepEqual(textsOf(page.all(".in-turn b", panel(page))), ["L1 H3"]));
    page.in(panel(page)).getByText("1 of 8 heads");
    assert.equal(page.in(panel(page)).getByRole("progressbar").value, 1);
    page.in(panel(page)).getByText(/has not been dropped yet/);
    await page.click(page.in(panel(page)).getByRole("button", { name: "Stop" }));
    page.in(panel(page)).getByText("Stopped after 1 of 8 heads.");
    page.unroute();
    await page.click(page.in(panel(page)).getByRole("button", { name: "Start again" }));
    await page.until(() => assert.equal(page.all(".in-turn button", panel(page)).length, 8));
    await page.until(() => assert.ok(page.one(".running", panel(page)).hidden));
  });

  test("of a text that is too long the strongest heads are dropped", async () => {
    const page = await visit(`${ECHO}&after=4`);
    page.route(/\/ablations\?(?!.*strongest)/, () => {
      const problem = { status: 413, code: "too_large", detail: "x", errors: [] };
      return new Response(JSON.stringify(problem), { status: 413 });
    });
    page.route(/strongest=10/, ({ url }) =>
      fetch(url.replace("strongest=10", "strongest=3"), { headers: { Accept: "text/event-stream" } }),
    );
    await page.click(page.in().getByRole("tab", { name: "Worth" }));
    await page.until(() => page.in(panel(page)).getByText(/too long to drop all 8 heads: these are the 3/));
    assert.equal(page.all(".in-turn button", panel(page)).length, 3);
    page.unroute();
    page.refusals = [];
  });

  test("the parts sum to the logit, and each begins where the last one ended", async () => {
    const page = await openWorth(visit, "&after=3");
    const reply = await page.fromTrace("contributions", { position: 3 });
    await sumsTo(page, reply);
    const values = textsOf(page.all("tbody tr:not(.sum) .number", panel(page))).map(number);
    const total = values.reduce((all, value) => all + value, 0);
    assert.ok(Math.abs(total - reply.logit) < 0.005 * (values.length + 1));
    const places = bars(page, "tbody tr:not(.sum)");
    assert.equal(places.length, values.length);
    const ends = places.map(([left, width], at) => (values[at] > 0 ? [left, left + width] : [left + width, left]));
    ends.slice(1).forEach(([begin], at) => assert.ok(Math.abs(begin - ends[at][1]) < 0.1, `part ${at + 1}`));
    page.in(panel(page)).getByText(/final norm frozen/);
  });

  test("the logit of another piece is taken apart, and back returns to the usual one", async () => {
    const page = await openWorth(visit);
    const { top } = await page.fromTrace("predictions", { top: 3 });
    await page.choose(choice(page), top[2].piece);
    const reply = await page.fromTrace("contributions", { token: top[2].piece });
    assert.equal(reply.token, top[2].piece);
    await sumsTo(page, reply);
    assert.equal(page.document.activeElement, choice(page));
    await page.addressHas("piece=");
    page.back();
    await sumsTo(page, await page.fromTrace("contributions"));
  });

  test("a piece that the model does not know gives way to the one that came", async () => {
    const page = await openWorth(visit, "&piece=no%20such%20piece%20anywhere");
    const reply = await page.fromTrace("contributions");
    await sumsTo(page, reply);
    assert.equal(choice(page).value, reply.token);
  });

  test("a model that predicts nothing leads to one that does", async () => {
    const page = await visit("/?tab=worth");
    await page.until(() => assert.ok(textOf(panel(page)).includes("says nothing of what comes next")));
    assert.ok(textOf(panel(page)).includes("a model with an unembedding"));
    const guide = () => textOf(page.one("#inspector .guide"));
    await page.until(() => assert.ok(guide().includes("there is nothing to press here")));
    assert.ok(!guide().includes("longest bar"));
    await page.click(page.in(panel(page)).getByRole("button", { name: /^Ask / }));
    await page.until(() => assert.ok(page.one("table", panel(page))?.checkVisibility()));
    await page.addressHas("source=installed");
    await page.until(() => assert.ok(guide().includes("longest bar")));
  });

  test("a model whose layers add to no sum has its heads dropped alone", async () => {
    const page = await visit("/?source=trained&task=reverse&text=a%20b%20%7C%20b&tab=worth");
    await page.until(() => assert.equal(page.all(".in-turn button", panel(page)).length, 1));
    page.in(panel(page)).getByText(/needs a model whose parts write into one sum/);
    assert.deepEqual(page.refusals, []);
    assert.ok(!page.asked.some(({ path }) => path.includes("/contributions")));
  });
});
