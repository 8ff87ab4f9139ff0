/** Parameters: where a matrix sends the tokens, and what a head does not see of them. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";
import { chooseMatrix, openParameters, panel, planes, titled } from "./support/parameters.js";
import { textOf, textsOf } from "./support/texts.js";

const THREE = "&text=one%20two%20three";

const dots = (page, plane) => page.all(".token-dot", plane);
const axes = (page, plane) => textsOf(page.all(".axis-name", plane));
const percent = (part) => `${(100 * part).toFixed(part >= 0.0995 ? 0 : 1)}\u202f%`;

describe("parameters tokens", () => {
  const visit = onePage();

  full("tokens lie where the singular directions send them", async () => {
    const page = await openParameters(visit, `&matrix=w_k&head=3${THREE}`);
    const found = (await page.fromTrace("spectrum", { head: 3 })).heads[0].geometry.w_k;
    const sides = [found.tokens_left, found.tokens_right];
    const edge = Math.max(...sides.flat(2).map(Math.abs));
    const shown = planes(page);
    assert.equal(shown.length, 2);
    for (const [at, tokens] of sides.entries()) {
      const places = dots(page, shown[at]).map((dot) =>
        dot
          .getAttribute("transform")
          .match(/[\d.]+/g)
          .map(Number),
      );
      assert.equal(places.length, tokens.length);
      tokens.forEach(([x, y], token) => {
        const wanted = [100 + (80 * x) / edge, 100 - (80 * y) / edge];
        places[token].forEach((place, axis) => assert.ok(Math.abs(place - wanted[axis]) < 0.1));
      });
    }
    assert.deepEqual(axes(page, shown[0]), ["→ x · u₁", "↑ x · u₂"]);
    const sigma = String(Number(found.singular_values[0].toFixed(2)));
    assert.ok(axes(page, shown[1])[0].includes(`σ₁ = ${sigma}`));
  });

  test("the directions that a head does not read are drawn, but not those of WO", async () => {
    const page = await openParameters(visit, THREE);
    const { heads, principal } = await page.fromTrace("spectrum", { head: 0 });
    const more = page.one(".planes.more", panel(page));
    const shown = page.all("svg", more);
    assert.equal(shown.length, 2);
    assert.equal(dots(page, more).length, 6);
    const [first, second] = principal.shares.map(percent);
    const names = page.all(".axis-name", shown[1]).map((each) => each.textContent);
    assert.deepEqual(names, [`→ p₁, ${first}`, `↑ p₂, ${second}`]);
    const { dimensions } = heads[0].geometry.w_q.unseen;
    assert.ok(textOf(panel(page)).includes(`does not read ${dimensions} directions`));
    await chooseMatrix(page, "WO");
    await titled(page, /^Where WO sends the tokens$/);
    assert.ok(!more.checkVisibility());
    assert.equal(axes(page, planes(page)[0])[0], "→ h · u₁");
  });

  test("rotary positions have no single form", async () => {
    const page = await openParameters(visit, "&positions=rotary");
    page.in(panel(page)).getByText(/with rotary positions it turns with the distance/);
  });

  test("many tokens are points without names, and keys walk among them", async () => {
    const page = await openParameters(
      visit,
      `&text=${Array.from({ length: 70 }, (_, index) => `w${index}`).join("%20")}`,
    );
    const [before] = planes(page);
    assert.equal(dots(page, before).length, 70);
    assert.deepEqual(page.all(".token-dot text", before), []);
    before.focus();
    await page.user.keyboard("{ArrowRight}");
    await page.until(() => assert.ok(textOf(page.one(".reading", panel(page))).includes("w0: (")));
  });

  test("the keys of a context are the context's tokens", async () => {
    const page = await openParameters(visit, "&matrix=w_qk&text=a%20b&context=die%20Katze%20da");
    const [queries, keys] = planes(page);
    assert.equal(dots(page, queries).length, 2);
    assert.equal(dots(page, keys).length, 3);
    assert.equal(page.all("title", keys)[1].textContent, "Katze");
  });
});
