/** A model with many heads opens on its clearest one, and a link to its first head opens that. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { kinds } from "../js/support/sent.js";
import { openExplore } from "./support/explore.js";

const DEEP = `/?source=uploaded&id=${kinds.deep}&text=it%20was%20too%20tired%20because%20it`;
const METRICS = ["entropy", "distance", "first", "previous", "own", "duplicate_token", "induction"];

/** Metrics of a head without a pattern, but for some. */
const metrics = (layer, head, found) => ({
  ...Object.fromEntries(METRICS.map((name) => [name, 0])),
  layer,
  head,
  ...found,
});

const REPLY = { heads: [metrics(0, 0, { first: 0.99 }), metrics(7, 2, { induction: 0.9 })] };
const pressed = (page) => page.all('#looks .head-chip[aria-pressed="true"] b').map((each) => each.textContent);

test("an address without a head opens the clearest; one with layer 0, head 0 stays there", async (context) => {
  const page = await openExplore(context, null);
  page.route(/\/heads\?/, () => Response.json(REPLY));
  await page.goto(DEEP);
  await page.addressHas("layer=7", "head=2");
  await page.until(() => assert.deepEqual(pressed(page), ["L7 H2"]));

  await page.click(page.one("#looks .head-chip")); // layer 0, head 0
  await page.addressHas("head=0");
  await page.addressLacks("layer=");
  await page.until(() => assert.deepEqual(pressed(page), ["L0 H0"]));
  const link = page.address;

  for (const address of [link, `${DEEP}&layer=0&head=0`, `${DEEP}&layer=0`]) {
    await page.walk("/?source=seeded&text=a%20b");
    await page.walk(address);
    await page.until(() => assert.equal(page.all("#looks .head-chip")[7 * 18 + 2].textContent, "L7 H2induction"));
    await page.settled();
    assert.deepEqual(pressed(page), ["L0 H0"], address);
  }
});
