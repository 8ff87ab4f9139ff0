/** No failure of the server loses what was typed or seen. */

import assert from "node:assert/strict";
import test from "node:test";
import { pictureOf } from "./support/cells.js";
import { holdPauses, hurry, later } from "./support/clock.js";
import { openExplore, SEEDED } from "./support/explore.js";
import { full } from "./support/full.js";

const DETAIL = "Every computing slot is taken. Try again in 2 seconds.";
const picture = (page) => pictureOf(page.canvas("weights"));
const said = (page) => page.one("#notice").textContent;

/** A server without a free slot. */
function busy() {
  const problem = { type: "/problems/busy", title: "Busy", status: 503, detail: DETAIL, code: "busy", errors: [] };
  return Response.json(problem, { status: 503, headers: { "Content-Type": "application/problem+json" } });
}

/** A server that is gone. */
function gone() {
  throw new TypeError("connection refused");
}

test("a server that stays busy leaves the last picture and says what to do", async (t) => {
  const page = await openExplore(t);
  const before = picture(page);
  page.route(/attention$/, busy);
  const body = await page.ask(() => page.fill(page.sentence, "now it is busy"));
  const pass = holdPauses(page);
  await page.until(() => {
    if (!said(page).includes(DETAIL)) pass();
    assert.ok(said(page).includes(DETAIL));
  });
  assert.ok(said(page).includes("last good answer"));
  assert.deepEqual(picture(page), before);
  assert.equal(page.sentence.value, "now it is busy");
  page.unroute();
  await page.click(page.button("Try again"));
  await page.shows(body);
  assert.equal(said(page), "");
});

full("without a server nothing typed is lost, and the next text is answered", async (t) => {
  const page = await openExplore(t);
  const before = picture(page);
  page.route(/attention$/, gone);
  await page.fill(page.sentence, "the server is gone");
  await page.until(() => assert.ok(said(page).includes("The server does not answer.")));
  assert.deepEqual(picture(page), before);
  assert.equal(page.sentence.value, "the server is gone");
  page.unroute();
  await page.shows(await page.ask(() => page.fill(page.sentence, "the server is back")));
  assert.equal(said(page), "");
});

test("a server that is gone is asked again until it answers, and its silence is said once", async (t) => {
  const page = await openExplore(t);
  const before = picture(page);
  const pauses = hurry(page);
  const answers = later();
  let tries = 0;
  page.route(/attention$/, () => ((tries += 1) < 4 ? gone() : answers.reply));
  await page.fill(page.sentence, "gone and back again");
  const words = await page.see("#notice.offline strong");
  assert.equal(words.textContent, "The server does not answer.");
  await page.until(() => assert.equal(tries, 4));
  assert.ok(words.checkVisibility(), "a second failure is not announced again");
  assert.deepEqual(picture(page), before);
  answers.send();
  await page.until(() => assert.equal(said(page), ""));
  await page.shows(page.question());
  assert.equal(page.question().text, "gone and back again");
  assert.deepEqual(pauses, [1, 2, 4]);
});

full("a first question that fails can be sent again", async (t) => {
  const page = await openExplore(t, null);
  page.route(/attention$/, busy);
  await page.goto(SEEDED);
  hurry(page);
  await page.in().findByText(DETAIL, { exact: false });
  page.unroute();
  await page.click(page.button("Try again"));
  await page.see("[data-stage=weights] canvas[data-layer]");
  await page.shows(page.question());
});

full("a reply that is no problem document can be tried again too", async (t) => {
  const page = await openExplore(t);
  page.route(/attention$/, () => new Response("<h1>Bad gateway</h1>", { status: 502 }));
  await page.fill(page.sentence, "behind a proxy");
  await page.in().findByRole("button", { name: "Try again" });
});
