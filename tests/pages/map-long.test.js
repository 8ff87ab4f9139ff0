/** Map of a long text: read from afar, searched, and led by the small map. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { calmPage, openLongMap, plot, readout, reads } from "./support/map.js";
import { onePage } from "./support/one-page.js";

describe("map long", () => {
  const visit = onePage(calmPage);

  test("from afar a square of cells is read, and its largest cell is pinned", async () => {
    const page = await openLongMap(visit, 1500);
    plot(page).focus();
    await page.user.keyboard("{Home}");
    await reads(page, /^0\.\d{3} at most in (\d+) × \1$/);
    const side = Number(/\d+$/.exec(page.one("b", readout(page)).textContent)[0]);
    const top = Number(page.one(".map-plot .cursor").getAttribute("aria-rowindex")) - 1;
    await page.user.keyboard("{Enter}");
    await page.addressHas("cell=weights.");
    const [, row, col] = /cell=weights\.(\d+)\.(\d+)/.exec(page.address).map(Number);
    const first = Math.floor(top / side) * side;
    const [trace] = page.one(".map-plot canvas").dataset.map.split(" ");
    const rows = `${first}:${first + side}`;
    const { values } = await page.json(`/api/v1/traces/${trace}/stages/weights?rows=${rows}&cols=0:${side}`);
    const flat = values.flat().map((value) => value ?? -Infinity);
    const at = flat.indexOf(Math.max(...flat));
    assert.deepEqual([row, col], [first + Math.floor(at / side), at % side]);
  });

  test("after a turn of the wheel the cell under a pointer that rests is read", async () => {
    const page = await openLongMap(visit, 1500);
    const place = { clientX: 300, clientY: 450, bubbles: true };
    const { PointerEvent, MouseEvent, WheelEvent } = page.window;
    plot(page).dispatchEvent(new (PointerEvent ?? MouseEvent)("pointermove", place));
    await reads(page, /at most in/);
    for (let i = 0; i < 16; i++) plot(page).dispatchEvent(new WheelEvent("wheel", { ...place, deltaY: -100 }));
    await reads(page, /^(≈ )?(\d\.\d{3}|\d(\.\d+)?×10.*)$/, /^word[^…]* → word[^…]*$/);
  });

  test("a token is found by its text and by its number, and so is the next one", async () => {
    const page = await openLongMap(visit, 900);
    const searches = page.in().getAllByRole("searchbox");
    assert.deepEqual(
      searches.map((each) => each.getAttribute("aria-label")),
      ["Word or number"],
    );
    const [search] = searches;
    const status = page.one(".find [role=status]");
    const find = async (text, found, place) => {
      if (search.value !== text) await page.fill(search, text);
      search.focus();
      await page.user.keyboard("{Enter}");
      await page.until(() => assert.equal(status.textContent, found));
      if (place) await page.addressHas(`place=${place}.`);
    };
    await find("word250", "1 of 2: word250₂₅₀", "250.250");
    await find("word250", "2 of 2: word250₆₅₀", "650.650");
    await find("333", "1 of 1: word333₃₃₃", "650.333"); // the query in sight sees this key, and stays
    await find("nowhere", "No such token.");
    await page.click(page.in().getByRole("tab", { name: "Heads" }));
    await page.until(() => page.in().getByRole("searchbox", { name: /^Find a token by its text/ }));
    assert.equal(page.in().getAllByRole("searchbox").length, 1);
  });

  test("a press on the small map leads there", async () => {
    const page = await openLongMap(visit, 900, "&place=100.100.40");
    const frame = page.one(".mini i");
    await page.until(() => assert.ok(frame.checkVisibility()));
    const top = parseFloat(frame.style.top);
    const { PointerEvent, MouseEvent } = page.window;
    const place = { clientX: 0.7 * 720, clientY: 0.8 * 720, bubbles: true };
    page.one(".mini").dispatchEvent(new (PointerEvent ?? MouseEvent)("pointerdown", place));
    await page.addressHas("place=720.630.40");
    assert.ok(parseFloat(frame.style.top) > top + 50);
  });
});
