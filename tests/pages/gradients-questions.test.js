/** Gradients of other questions: more layers, a context, another text, a large answer, one that is refused. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openExplore } from "./support/explore.js";
import { full } from "./support/full.js";
import * as gradients from "./support/gradients.js";
import { onePage, ownPage } from "./support/one-page.js";
import { textOf } from "./support/texts.js";

const { GRADIENTS, cellsOf, choices, derivatives, derived, openGradients, panel, shows } = gradients;

const FORGOTTEN = { title: "Unknown", code: "unknown_trace" };

const refusal = (status, problem) =>
  new Response(JSON.stringify(problem), { status, headers: { "content-type": "application/problem+json" } });

describe("gradients questions", () => {
  const visit = onePage();

  test("layers below and the block output have derivatives", async () => {
    const page = await openGradients(visit, "&num_layers=2&block=pre_norm&objective=block_output.3.1");
    const reply = await derivatives(page, { kind: "cell", at: "block_output", row: 3, col: 1 });
    await page.until(() => assert.ok(textOf(page.one(".reading", panel(page))).includes("f, in layer 1")));
    await shows(page, "x", cellsOf(reply, "x"));
    await page.choose(choices(page).getByLabelText("layer"), "1");
    await shows(page, "block_output", cellsOf(reply, "block_output", { layer: 1 }));
    assert.equal(choices(page).getByLabelText(/^of/).value, "block_output");
  });

  full("a context has derivatives", async () => {
    const page = await openGradients(visit, "&text=the%20cat%20sat&context=die%20Katze");
    const reply = await derivatives(page, { kind: "sum" });
    await shows(page, "context", reply.context[0]);
    await shows(page, "weights", cellsOf(reply, "weights"));
  });

  full("a derived number beyond a shorter sentence is brought inside", async () => {
    const page = await openGradients(visit, "&text=a%20b%20c&objective=output.11.900");
    await shows(page, "q", cellsOf(await derivatives(page, { kind: "cell", row: 2, col: 63 }), "q"));
    await page.fill(page.sentence, "a b c d");
    await page.until(() => assert.equal(page.question().text, "a b c d"));
    await shows(page, "q", cellsOf(await derivatives(page, { kind: "cell", row: 3, col: 63 }), "q"));
  });

  full("of a large answer only the selected layer and head are derived", async (t) => {
    const words = Array.from({ length: 30 }, (_, index) => `w${index}`).join("%20");
    const large = `&text=${words}&num_layers=96&block=residual&layer=95&head=1&objective=output.29.0`;
    const page = await openGradients(ownPage(t), large);
    const { path, body } = page.asked.find((asked) => GRADIENTS.test(asked.path));
    assert.deepEqual([body.layers, body.heads], [[95], [1]]);
    const reply = await page.json(path.split("?")[0], body);
    await shows(page, "q", reply.layers[0].q[0][0]);
  });

  test("a refusal is explained in words of the page", async (t) => {
    const page = await openExplore(t, null);
    const problem = { title: "Too large", detail: "They would take 9,000 MB.", code: "too_large" };
    page.route(GRADIENTS, () => refusal(413, problem));
    await page.goto("/?tab=gradients");
    const given = await page.in(panel(page)).findByText(/more than can be computed at once/);
    assert.ok(given.checkVisibility());
  });

  full("a trace that the server has forgotten is named again", async (t) => {
    const page = await openExplore(t, null);
    const requests = () => page.asked.filter(({ path }) => GRADIENTS.test(path)).length;
    page.route(GRADIENTS, () => (requests() === 1 ? refusal(404, FORGOTTEN) : null));
    await page.goto("/?tab=gradients");
    await derived(page);
    assert.equal(requests(), 2);
    assert.ok(page.asked.some(({ path, method }) => path === "/api/v1/traces" && method === "POST"));
  });
});
