/** Nothing of an old answer stands undimmed beside a new text, whichever reply comes late or is refused at first. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hurry, later } from "./support/clock.js";
import { rowsOf } from "./support/full.js";
import { onePage } from "./support/one-page.js";

const NAMES = ["Emma", "Harriet", "Weston", "Elton", "Martin", "Fairfax", "Churchill", "Bates", "Smith", "Taylor"];

// A piece each, so that a long text is as long as the model takes.
const SMALL = ["he", "she", "it", "was", "had", "not", "very", "so", "but", "and"];

/** A text of words, others with each place. @param {number} at @param {number} count */
function textOf(at, count) {
  const words = count === SHORT ? NAMES : SMALL;
  return Array.from({ length: count }, (_, i) => words[(3 * at + i * (1 + (at % 2))) % words.length]).join(" ");
}

/** What of the API a request is for: "traces/predictions", whatever the trace. @param {string} path */
function kindOf(path) {
  const [, of] = /^\/api\/v1\/(.+?)(?:\?|$)/.exec(path) ?? [];
  return of
    ?.replace(/\/[0-9a-f]{32}/, "")
    .split("/")
    .slice(0, 2)
    .join("/");
}

const busy = () =>
  Response.json(
    { title: "Busy", status: 503, detail: "busy", code: "busy" },
    { status: 503, headers: { "Retry-After": "2" } },
  );

const ELSEWHERE = "[data-other], [hidden], .hidden, dialog:not([open]), #sentence, #options, #notice, #examples";

/** What is said of an answer, in sight and not dimmed: texts with numbers or tokens, but for times. */
function said(page) {
  const { NodeFilter } = page.window;
  const shown = (node) => (node.matches?.(ELSEWHERE) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
  const walker = page.document.createTreeWalker(page.one("main"), NodeFilter.SHOW_ALL, shown);
  const found = new Set();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.nodeType === node.TEXT_NODE ? node.data.trim() : "";
    if (/\d|[A-Z][a-z]/.test(text) && !/\d ms/.test(text)) found.add(text);
  }
  return found;
}

/** Waits until all has come, also what a reply of events brings bit by bit. */
async function whole(page) {
  await page.settled();
  await page.until(() => assert.ok(!page.all("progress").some((bar) => bar.checkVisibility())));
}

/** The requests of the API that an act leads to, by kind. */
async function kindsAfter(page, act) {
  const before = page.asked.length;
  await act();
  return [...new Set(page.asked.slice(before).map(({ path }) => kindOf(path)))].filter(Boolean);
}

const SHORT = 4;
const LONG = 100; // words whose stages come as pictures
/** @type {[string, number, string][]} */
const WALKS = [
  ["the stages, with picked tokens", SHORT, "&picked=query.1"],
  ["heads", SHORT, "&tab=heads&heads=0.0_1.1"],
  ["lines", SHORT, "&tab=lines"],
  ["map", SHORT, "&tab=map"],
  ["gradients", SHORT, "&tab=gradients"],
  ["worth", SHORT, "&tab=worth"],
  ["decode", SHORT, "&tab=decode"],
  ["the stages, with a pinned cell", SHORT, "&cell=weights.3.0&why=1"],
  ["parameters", SHORT, "&tab=parameters"],
  ["scaling", SHORT, "&tab=lab"],
  ["rounding", SHORT, "&tab=lab&lab=precision"],
  ["linear attention", SHORT, "&tab=lab&lab=linear"],
  ["pictures of stages", LONG, ""],
  ["pictures of heads", LONG, "&tab=heads"],
];

describe("one answer at a time:", () => {
  const visit = onePage();
  const short = new Set(); // kinds of requests that were tried: tabs of a short text share many
  let texts = 0;

  for (const [name, count, view] of rowsOf(WALKS, 7))
    test(name, async () => {
      const page = await visit(`/?source=installed&name=echo&text=${encodeURIComponent(textOf(texts, count))}${view}`);
      hurry(page);
      const type = async () => {
        await page.fill(page.sentence, textOf((texts += 1), count));
        await page.until(() => assert.notEqual(page.document.body.dataset.status, "ready"));
      };
      const asked = await kindsAfter(page, async () => {
        await type();
        await whole(page);
      });
      const tried = count === SHORT ? short : new Set();
      for (const kind of asked.filter((each) => !tried.has(each))) {
        tried.add(kind);
        const before = said(page);
        const gate = later();
        let held = 0;
        let open = false;
        page.route(/^\/api\//, async ({ path }) => {
          if (open || kindOf(path) !== kind) return undefined;
          held += 1;
          await gate.reply;
          return busy();
        });
        await type();
        await page.until(() => assert.ok(held > 0 && page.coming.size === held && page.bodies.size === 0, kind));
        const meanwhile = said(page);
        open = true;
        gate.send();
        await whole(page);
        page.unroute();
        const after = said(page);
        const mixed = [...meanwhile].filter((text) => before.has(text) && !after.has(text));
        assert.deepEqual(mixed, [], `while ${kind} is awaited`);
      }
    });

  test("a part that is refused for good says so, claims nothing, and can be asked again", async () => {
    const page = await visit(`/?source=installed&name=echo&text=${textOf(texts, SHORT).replaceAll(" ", "%20")}`);
    hurry(page);
    const part = page.one("#predictions");
    assert.match(part.textContent, /expects/);
    page.route(/predictions/, busy);
    await page.fill(page.sentence, textOf((texts += 1), SHORT));
    const again = await page.until(() => page.button("Try again", part));
    assert.ok(![...said(page)].some((text) => /expects|surprise/.test(text)));
    page.unroute();
    await page.click(again);
    await page.see("#predictions .likely li");
    assert.equal(page.in(part).queryByRole("button", { name: "Try again" }), null);
  });
});
