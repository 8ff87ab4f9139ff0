/** A session that has ended: the page says so once, and leads to the form and back to where it was. */

import assert from "node:assert/strict";
import test from "node:test";
import { Compare } from "./support/compare.js";
import { Explore } from "./support/explore.js";
import { rowsOf } from "./support/full.js";
import { kept } from "./support/page.js";

const REFUSED = { status: 401, title: "Sign in", code: "missing_key", detail: "A key is needed.", errors: [] };
const PAGES = [
  { name: "Explore", make: () => new Explore(), address: "/?text=one%20two" },
  { name: "Compare", make: () => new Compare(), address: "/compare?a.text=one%20two&b.text=one" },
];
const WORDS = [
  { lang: "en", ended: /no longer signed in/, enter: "Sign in" },
  { lang: "zh", ended: /登录已失效/, enter: "登录" },
];

for (const { name, make, address } of PAGES)
  for (const { lang, ended, enter } of rowsOf(WORDS))
    test(`${name} leads to the form and back when the session ends: ${lang}`, async (t) => {
      const page = kept(t, make());
      await page.open(`${address}&lang=${lang}`);
      page.document.addEventListener("click", (event) => event.preventDefault()); // jsdom follows no link
      page.route(/^\/api\/v1\//, () => Response.json(REFUSED, { status: 401 }));
      const sentences = page.in(page.one("main")).getAllByRole("textbox", { name: /^(Sentence|句子)/ });
      await page.fill(sentences.at(-1), "three four");
      const notice = await page.see(".signed-out");
      assert.match(notice.textContent, ended);
      assert.equal(notice.getAttribute("role"), "alert");
      await page.addressHas("three");
      const link = page.in(notice).getByRole("link", { name: enter });
      await page.click(link);
      const form = new URL(link.href);
      assert.equal(form.pathname, "/sign-in");
      assert.deepEqual(Object.fromEntries(form.searchParams), { next: page.address, lang });
      page.unroute();
      await page.fill(sentences.at(-1), "five six");
      await page.until(() => assert.equal(page.one(".signed-out"), null));
    });
