/** Two questions side by side: each edited alone, both in one address. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hurry, later } from "./support/clock.js";
import { ADDRESS, Compare, openCompare } from "./support/compare.js";
import { Explore } from "./support/explore.js";
import { smallFile } from "./support/files.js";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";
import { kept } from "./support/page.js";

const EQUAL = "A and B ask the same";
const trio = (page) => () => page.one("#trio");
const ends = (page, pattern) => page.until(() => assert.match(page.address, pattern));

describe("sides of a comparison", () => {
  const visit = onePage(() => new Compare(), ADDRESS);

  test("the page opens on a trained model and a pair that differs, and says so in the address", async (t) => {
    const page = await openCompare(t, null);
    for (const [lang, name, text, other] of [
      ["zh", "echo-zh", "姑苏城外寒山寺，姑苏城", "姑苏城外寒山寺，到寒山"],
      [
        "en",
        "echo",
        "My friend Jacob Darcy met Thomas Bennet. My friend Jacob",
        "My friend Jacob Bennet met Thomas Darcy. My friend Jacob",
      ],
    ]) {
      await page.open(`/compare?lang=${lang}`);
      for (const [side, own] of [
        ["a", text],
        ["b", other],
      ])
        // prettier-ignore
        await page.addressHas(`${side}.text=${encodeURIComponent(own)}&${side}.source=installed&${side}.name=${name}`);
      await page.addressHas("&layer=1");
    }
    for (const stage of ["x", "weights"]) assert.ok(page.textOf(stage).includes("max |Δ|"));
    const [pictures, table] = [page.one("#contrasts"), page.one("#differences")];
    assert.ok(pictures.compareDocumentPosition(table) & page.window.Node.DOCUMENT_POSITION_FOLLOWING);
  });

  test("two equal questions stay equal when the page is loaded again", async (t) => {
    const page = await openCompare(t, "/compare?b.text=a%20cat");
    await page.fill(page.sentence("B"), page.sentence("A").value);
    await page.says(trio(page), EQUAL);
    assert.equal(page.address, "/compare?align=position");
    page.back();
    await ends(page, /\?b\.text=/);
    await page.until(() => assert.ok(page.textOf("weights").includes("max |Δ|")));
    page.forward();
    await ends(page, /\?align=position$/);
    await page.reload();
    await page.says(trio(page), EQUAL);
  });

  test("each side is edited alone, and the address keeps both", async () => {
    const page = await visit("/compare?align=position");
    await page.says(trio(page), EQUAL);
    await page.fill(page.sentence("B"), "the animal was tired");
    await page.fill(page.one('[data-field="temperature"] input[type=number]', page.side("B")), "2");
    await ends(page, /\?b\.text=the%20animal%20was%20tired&b\.temperature=2$/);
    await page.click(page.button("Swap A and B"));
    await ends(page, /\?a\.text=the%20animal%20was%20tired&a\.temperature=2$/);
    page.back();
    await page.until(() => assert.equal(page.sentence("B").value, "the animal was tired"));
    page.forward();
    await ends(page, /\?a\.text=/);
    await page.reload();
    assert.equal(page.sentence("A").value, "the animal was tired");
  });

  full("a difference is dimmed while one of the two answers is on its way", async () => {
    const page = await visit();
    const held = later();
    page.route(/attention$/, () => held.reply);
    await page.fill(page.sentence("B"), "a dog sat");
    for (const part of ["#contrasts", "#inspector", "#trio"]) await page.see(`${part}[data-other]`);
    held.send();
    await page.see("#contrasts:not([data-other])");
    assert.match(page.textOf("x"), /cat\/dog/);
  });

  test("formulas that differ are given for each side", async () => {
    const page = await visit("/compare?a.text=a%20b&b.text=a%20b&b.positions=rotary");
    const formula = (stage) => page.one(`[data-stage="${stage}"] > header .formula`).textContent.replace(/\s+/g, " ");
    assert.equal(formula("x"), "A X=E+PB X=E");
    assert.ok(formula("q").includes("B Q=R("));
    assert.equal(formula("v"), "V=XWV");
  });

  test("where both ask the same a press changes B", async () => {
    const page = await visit("/compare?align=position");
    await page.click(page.button("no mask"));
    await ends(page, /\?b\.causal=false$/);
    await page.until(() =>
      assert.ok(page.textOf("masked_scores").includes("66 cells are masked in one of the two alone")),
    );
    assert.equal(page.textOf("scores"), "no difference");
  });

  full("block outputs are compared where an MLP makes one", async () => {
    const page = await visit();
    const seen = (stage) => page.all(`[data-stage=${stage}]`).filter((card) => card.checkVisibility()).length;
    assert.deepEqual([seen("output"), seen("block_output")], [1, 0]);
    await page.walk(`${ADDRESS}&b.mlp=true`);
    assert.deepEqual([seen("output"), seen("block_output")], [1, 1]);
  });

  test("matrices of each side come through the address", async (t) => {
    const one = [[1, 0], [0, 1]]; // prettier-ignore
    const weights = Object.fromEntries(
      ["a", "b"].flatMap((side) => "qkv".split("").map((w) => [`${side}.w_${w}`, one])),
    );
    const given = JSON.stringify({ "a.x": one, "b.x": [[1, 0], [0, 2]], ...weights }); // prettier-ignore
    const page = await visit(`/compare?a.source=explicit&b.source=explicit#${encodeURIComponent(given)}`);
    assert.ok(page.textOf("scores").includes("max |Δ| 3.000 at 1 → 1"));
    assert.equal(page.in().queryByRole("link", { name: /explain/ }), null);
    await page.click(page.in(page.one("#differences")).getAllByRole("button", { name: "1 → 1" })[0]);
    const { href } = await page.in().findByRole("link", { name: "explain in B" });
    const explore = kept(t, new Explore());
    await explore.open(href.slice(page.window.location.origin.length));
    await explore.until(() => assert.equal(explore.one("#inspector output").textContent, "4.000"));
  });

  test("two forms for files stand side by side without sharing an id", async () => {
    const page = await visit();
    for (const name of ["A", "B"]) {
      const side = page.in(page.side(name));
      await page.choose(side.getByRole("combobox", { name: "Model" }), "uploaded");
      await side.findByText("Choose a file…");
    }
    const ids = page.all("[id]").map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
  });

  test("a server that is gone is requested again for the side that was edited", async (t) => {
    const page = await openCompare(t);
    const pauses = hurry(page);
    let tries = 0;
    page.route(/attention$/, () => {
      tries += 1;
      if (tries < 4) throw new TypeError("gone");
    });
    await page.fill(page.sentence("B"), "a cat slept");
    await page.in(page.side("B")).findByText("The server does not answer.");
    assert.equal(page.sentence("B").value, "a cat slept");
    const last = () => page.all(".labels .row", page.figure("weights", "b")).at(-1).textContent;
    await page.until(() => assert.equal(last(), "slept"));
    assert.equal(page.in(page.side("B")).queryByText("The server does not answer."), null);
    assert.deepEqual(pauses, [1, 2, 4]);
  });

  full("a side whose numbers are not those of the model says so, the other does not", async (t) => {
    const page = await openCompare(t);
    const side = page.in(page.side("B"));
    await page.choose(side.getByRole("combobox", { name: "Model" }), "uploaded");
    await page.user.upload(await side.findByLabelText("Choose a file…"), smallFile({ num_heads: "2" }));
    const notes = (name) => page.one(".model-notes", page.side(name));
    await page.says(() => notes("B"), "random vector");
    assert.deepEqual([notes("A").hidden, notes("B").hidden], [true, false]);
    const said = (name) => page.side(name).textContent.split("random vector").length - 1;
    await page.until(() => assert.deepEqual([said("A"), said("B")], [0, 1]));
  });

  test("a trace of the address is asked for again where the server did not answer", async (t) => {
    const page = await openCompare(t, null);
    const { trace } = await page.json("/api/v1/traces", { text: "a black cat" });
    let tries = 0;
    page.route(/\/question\?/, () => {
      if ((tries += 1) === 1) throw new TypeError("connection refused");
    });
    await page.open(`/compare?a.t=${trace}&b.text=a%20cat`);
    assert.equal(page.sentence("A").value, "a black cat");
    assert.equal(page.all(".ignored").length, 0);
    assert.equal(tries, 2);
  });

  test("questions too long for an address are compared by their traces", async (t) => {
    const wide = Array.from({ length: 48 }, (_, row) =>
      Array.from({ length: 48 }, (_, col) => Math.sin(48 * row + col)),
    );
    const body = { text: "a cat sat", model: { source: "explicit", num_heads: 2, w_q: wide, w_k: wide, w_v: wide } };
    const page = await openCompare(t);
    const traceOf = async (more) => (await page.json("/api/v1/traces", { ...body, ...more })).trace;
    const [trace, other] = [await traceOf(), await traceOf({ temperature: 2 })];
    await page.open(`/compare?a.t=${trace}&b.t=${trace}`);
    const equal = () => assert.equal(page.textOf("weights"), "no difference");
    await page.until(equal);
    await page.fill(page.in(page.side("B")).getByRole("spinbutton", { name: /^Temperature/ }), "2");
    await ends(page, new RegExp(`^/compare\\?a\\.t=${trace}&b\\.t=${other}$`));
    await page.until(() => assert.match(page.textOf("weights"), /^max/));
    const seen = page.textOf("weights");
    page.back();
    await page.until(equal);
    page.forward();
    await ends(page, new RegExp(`b\\.t=${other}$`));
    await page.reload();
    await page.drawn();
    assert.equal(page.textOf("weights"), seen);
  });
});
