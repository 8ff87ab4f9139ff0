/** The dialog "Share & export": of which question and stage it is, and what it says of links and frames. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { later } from "./support/clock.js";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";
import { figure, openShare, textsOf } from "./support/share.js";

const PAIR = "/?source=seeded&text=alpha%20beta";

/** Waits until the dialog is of a text: its links, its frame and its figure. */
function isOf(page, dialog, first, second) {
  return page.until(() => {
    for (const name of ["full", "HTML"]) assert.ok(dialog.getByLabelText(name).value.includes(first), name);
    assert.ok(textsOf(figure(page)).includes(second));
  });
}

describe("share dialog", () => {
  const visit = onePage();

  full("the dialog follows the question that Back leads to", async () => {
    const page = await visit(PAIR);
    await page.fill(page.sentence, "gamma delta");
    await page.addressHas("text=gamma");
    const dialog = page.in(await openShare(page));
    await isOf(page, dialog, "gamma", "delta");
    page.back();
    await isOf(page, dialog, "alpha", "beta");
  });

  test("nothing can be taken away until its numbers are there", async () => {
    const page = await visit(PAIR);
    const { reply, send } = later();
    page.route(/\/api\/v1\/attention/, () => reply);
    await page.ask(() => page.fill(page.sentence, "one two"));
    const root = await openShare(page);
    const status = page.in(root).getByRole("status");
    await page.until(() => assert.ok(status.textContent.includes("on their way")));
    assert.equal(page.one(".columns", root).inert, true);
    send();
    await isOf(page, page.in(root), "one", "two");
    await page.until(() => assert.equal(status.textContent, ""));
    assert.equal(page.one(".columns", root).inert, false);
  });

  test("a card and the large view open the dialog on their own stage", async () => {
    const page = await visit();
    await page.click(page.button("Share & export scores", page.card("scores")));
    const stage = page.in(await page.see("#takeaway[open]")).getByLabelText("stage");
    assert.equal(stage.value, "scores");
    await page.click(page.button("Close", page.one("#takeaway")));
    await page.click(page.button("Enlarge q", page.card("q")));
    const share = await page.in(page.one("#large")).findByRole("button", { name: "Share & export q" });
    await page.click(share);
    await page.until(() => assert.equal(stage.value, "q"));
  });

  full("a frame of the chosen stage is offered, with the pages that may show it", async (t) => {
    const page = await visit("/?text=a%20cat%20sat&head=1");
    const root = await openShare(page);
    const dialog = page.in(root);
    assert.ok(root.textContent.includes("Pages that may show it: those of this server."));
    const note = page.one(`#${dialog.getByRole("button", { name: "Copy: HTML" }).getAttribute("aria-describedby")}`);
    assert.match(note.textContent, /On any other page the frame stays empty/); // heard before it is copied
    await page.choose(dialog.getByLabelText("stage"), "scores");
    await page.click(dialog.getByRole("button", { name: "Copy: HTML" }));
    await page.until(() => assert.equal(dialog.getByRole("status").textContent, "Copied."));
    const code = await page.window.navigator.clipboard.readText();
    assert.equal(code, dialog.getByLabelText("HTML").value);
    const holder = page.document.createElement("div");
    holder.innerHTML = code;
    const { src, title } = holder.firstElementChild;
    assert.equal(title, "attnscope: scores");
    const framed = await openExplore(t, null);
    await framed.goto(src.replace(/^https?:\/\/[^/]+/, ""));
    await framed.see("#large[open] canvas[data-head='1']");
    assert.equal(framed.one("#large").getAttribute("aria-label"), "scores");
    framed.in().getByText(/Open in attnscope/);
  });

  full("a link that programs may cut is described so", async () => {
    const words = Array.from({ length: 400 }, (_, at) => `word${at}`).join("%20");
    const page = await visit(`/?source=seeded&text=${words}`);
    await openShare(page);
    const note = page.one("#link-note");
    const full = page.in(page.one("#takeaway")).getByLabelText("full");
    assert.ok(full.value.length > 2000);
    const count = full.value.length.toLocaleString("en");
    assert.ok(note.textContent.includes(`has ${count} characters: mail and chat programs may cut it`));
    assert.equal(full.getAttribute("aria-describedby"), note.id);
    assert.ok(note.checkVisibility());
  });
});
