/** Decode: the cache that grows with every step, its bytes, and what shared heads cost. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alike, cellColors, pictureOf, written } from "./support/cells.js";
import { later } from "./support/clock.js";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";
import { textOf, textsOf } from "./support/texts.js";

const TEXT = "&text=one%20two%20three%20four%20five%20six";

const panel = (page) => page.one("#panel-decode");
const slider = (page) => page.in(panel(page)).getByLabelText("Step of decoding");
const words = (page) => textOf(page.one(".words", panel(page)));
const says = (page, text) => page.until(() => assert.ok(words(page).includes(text), words(page)));
const asked = (page) => page.asked.filter(({ path }) => /\/(decode|sharing)\?/.test(path));
const first = (page) => page.in(panel(page)).getByLabelText("Taken at once first");

async function openDecode(visit, more = "") {
  const page = await visit(`/?tab=decode${more}`);
  await page.until(() => assert.ok(page.one(".rows-of canvas", panel(page)), "never decoded"));
  await page.in(panel(page)).findByRole("heading", { name: /^Fewer key/ });
  return page;
}

/** Waits until the cache of keys shows the rows of a step, and no others. */
function shows(page, rows, { k }, largest) {
  const wanted = cellColors(
    [...k[0], ...Array(rows - k[0].length).fill(k[0][0].map(() => null))],
    [[largest]],
    page.pageData().colors.light,
  );
  const canvas = () => page.all(".rows-of.axis-key canvas", panel(page)).at(-1);
  return page.until(() => assert.ok(alike(pictureOf(canvas()), wanted), `${k[0].length} cached rows`));
}

test("the steps can be played once there are any", async (t) => {
  const page = await openExplore(t, null);
  const { reply, send } = later();
  page.route(/\/api\/v1\/(attention|traces)/, () => reply);
  await page.goto(`/?source=seeded&tab=decode${TEXT}`);
  const play = await page.see("#panel-decode .play");
  assert.deepEqual([play.disabled, slider(page).disabled], [true, true]);
  send();
  await page.until(() => assert.deepEqual([play.disabled, slider(page).disabled], [false, false]));
});

describe("decode", () => {
  const visit = onePage();

  full("the cache grows with every step", async () => {
    const page = await openDecode(visit, `${TEXT}&head=1`);
    const { steps } = await page.fromTrace("decode", { head: 1 });
    const largest = Math.max(...steps.at(-1).k.flat(2).map(Math.abs));
    for (const at of [5, 2, 0]) {
      await page.fill(slider(page), String(at));
      await shows(page, 6, steps[at], largest);
      const kinds = page.all(".cache .names li", panel(page)).map((item) => item.className);
      assert.deepEqual(kinds, [...Array(at).fill("kept"), "made", ...Array(5 - at).fill("coming")]);
      const bars = textsOf(page.all(".cache .read li span", panel(page)));
      assert.deepEqual(
        bars,
        steps[at].weights[0][0].map((weight) => written(weight)),
      );
      await (at < 5 ? page.addressHas("decoded=") : page.addressLacks("decoded="));
    }
  });

  test("the first tokens are taken at once, as many as are chosen", async () => {
    const page = await openDecode(visit, `${TEXT}&prefill=4&decoded=0`);
    assert.equal(words(page), "Step 1 of 3: the first 4 tokens at once.");
    assert.equal(page.all(".names .made", panel(page)).length, 4);
    await page.fill(first(page), "2");
    await says(page, "Step 5 of 5: “six”. New rows: 1 of q, 1 of k and v. From the cache: 5.");
    await page.addressHas("prefill=2");
  });

  test("tokens that every query sees are taken at once", async () => {
    const page = await openDecode(visit, `${TEXT}&prefix=3&decoded=0`);
    assert.equal(first(page).value, "3");
    assert.ok(textOf(panel(page)).includes("The first 3 stay open to every query"));
    await says(page, "Step 1 of 4: “one two three”");
    await page.walk(`/?tab=decode${TEXT}&prefix=99&prefill=1`);
    await page.until(() => assert.equal(first(page).value, "6"));
    await says(page, "Step 1 of 1");
    assert.deepEqual(page.refusals, []);
  });

  test("the steps play from the first to the last", async () => {
    const page = await openDecode(visit, "&text=one%20two%20three");
    /** @type {() => void} */
    let tick = () => undefined;
    const { setInterval } = page.window;
    page.window.setInterval = (run) => ((tick = run), 1);
    await page.click(page.in(panel(page)).getByRole("button", { name: /Play/ }));
    for (const step of ["Step 1 of 3", "Step 2 of 3", "Step 3 of 3"]) {
      await says(page, step);
      page.in(panel(page)).getByRole("button", { name: /Pause/ });
      tick();
    }
    page.in(panel(page)).getByRole("button", { name: /Play/ });
    page.window.setInterval = setInterval;
  });

  test("what the cache gives and what the whole gives differ by rounding alone", async () => {
    const page = await openDecode(visit, `${TEXT}&num_layers=2&block=pre_norm&positions=rotary`);
    const { equal_to_full: difference } = await page.fromTrace("decode", { head: 0 });
    assert.ok(difference < 1e-12);
    assert.match(textOf(page.one(".equal b", panel(page))), /^\d\.\d\d×10⁻¹[³⁴⁵⁶]$/);
  });

  test("the bytes of MHA, GQA and MQA stand side by side", async () => {
    const page = await openDecode(visit, `${TEXT}&num_kv_heads=2`);
    const lines = () => textsOf(page.all(".costs li", panel(page)));
    assert.deepEqual(lines(), ["MHA, h_kv = 46 KiB", "GQA, h_kv = 23 KiB", "MQA, h_kv = 11.5 KiB"]);
    assert.ok(textOf(page.one(".costs .own", panel(page))).includes("GQA"));
    await page.fill(slider(page), "1");
    await page.until(() => assert.ok(lines()[0].includes("2 KiB")));
    assert.equal(page.all("polyline", panel(page)).length, 3);
  });

  test("the error of fewer key/value heads is that of the server", async () => {
    const page = await openDecode(visit, TEXT);
    const { variants } = await page.fromTrace("sharing");
    const rows = page.all(".stack tbody tr", panel(page));
    assert.equal(rows.length, variants.length);
    const last = textsOf(page.all("td", rows.at(-1)));
    assert.deepEqual([last[0], last[2]], ["2,048", `${(100 * variants.at(-1).relative_error).toFixed(1)} %`]);
  });

  test("the cache is shown as a table too", async () => {
    const page = await visit(`/?tab=decode${TEXT}&decoded=2&table=true`);
    const rows = () => textsOf(page.all(".card.wide tbody tr", panel(page)));
    await page.until(() => assert.equal(rows().length, 3));
    assert.ok(rows()[0].includes("cached") && rows()[2].includes("new"), String(rows()));
  });

  test("a question whose queries see keys to come is explained, and changed by a press", async () => {
    const page = await visit("/?tab=decode&causal=false");
    const trouble = await page.see(".trouble p", panel(page));
    assert.ok(trouble.textContent.includes("queries see keys to come"));
    assert.deepEqual(asked(page), []);
    await page.click(page.one(".trouble button", panel(page)));
    await page.until(() => assert.ok(page.one(".rows-of canvas", panel(page))));
    assert.equal(page.one(".trouble", panel(page)).textContent, "");
    await page.addressLacks("causal");
  });

  test("a context is not decoded until it is taken away", async () => {
    const page = await visit(`/?context=a%20b${TEXT}`);
    await page.click(page.in(page.one("#tabs")).getByRole("tab", { name: "Decode" }));
    const trouble = () => textOf(page.one(".trouble", panel(page)));
    await page.until(() => assert.ok(trouble().includes("another text’s")));
    assert.deepEqual(asked(page), []);
    await page.click(page.button("Take the context away", panel(page)));
    await says(page, "Step 6 of 6");
    page.back();
    await page.until(() => assert.ok(trouble().includes("another text’s")));
    assert.ok(!page.one(".player", panel(page)).checkVisibility());
    page.forward();
    await page.until(() => assert.equal(trouble(), ""));
    await page.until(() => assert.ok(page.one(".player", panel(page)).checkVisibility()));
    await says(page, "Step 6 of 6");
    assert.deepEqual(page.refusals, []);
  });

  test("the steps of a long text are requested one at a time", async () => {
    const text = Array.from({ length: 300 }, (_, index) => `w${index}`).join("%20");
    const page = await openDecode(visit, `&prefill=290&text=${text}`);
    await says(page, "Step 11 of 11");
    await page.fill(slider(page), "3");
    await says(page, "Step 4 of 11: “w292”");
    const last = asked(page).findLast(({ path }) => path.includes("/decode?"));
    assert.ok(last.path.split("&").includes("steps=3%3A4"), last.path);
  });

  test("the tab is written in Chinese", async () => {
    const page = await visit("/?tab=decode&lang=zh");
    await page.until(() => assert.ok(page.one(".rows-of canvas", panel(page))));
    assert.ok(panel(page).textContent.includes("键和值的缓存"));
    assert.ok(!panel(page).textContent.includes("decode."));
  });
});
