/** What d_k and the scale do to the weights, in the panel of changes. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { full } from "./support/full.js";
import { onePage } from "./support/one-page.js";

async function openScaling(visit, more = "") {
  const page = await visit(`/?change=scaling&text=a%20b%20c${more}`);
  await page.see("#editor input[type=range]");
  return { page, panel: page.in(page.one("#editor")) };
}

const slider = (panel, name) => panel.getByRole("slider", { name: new RegExp(`^${name}`) });

describe("change scaling", () => {
  const visit = onePage();

  test("d_k is changed with and without scaling", async () => {
    const { page, panel } = await openScaling(visit);
    const wide = await page.ask(() => page.fill(slider(panel, "d_k"), "10"));
    assert.equal(wide.model.d_k, 1024);
    await page.shows(wide, ["scaled_scores", "weights"]);
    const entropy = () => Number(panel.getByText(/entropy/).nextSibling.textContent);
    const scaled = entropy();
    const body = await page.ask(() => page.click(panel.getByLabelText("divide by √d_k")));
    assert.equal(body.scale, "none");
    await page.shows(body, ["scaled_scores", "weights"]);
    await page.until(() => assert.ok(entropy() < scaled, "larger scores make sharper weights"));
  });

  full("the scale slides, and the thumb of each slider follows an undo of its own step", async () => {
    const { page, panel } = await openScaling(visit);
    const scale = slider(panel, "scale");
    const body = await page.ask(() => page.fill(scale, "-3"));
    assert.equal(body.scale, 0.001);
    await page.shows(body, ["scaled_scores", "weights"]);
    assert.equal(scale.getAttribute("aria-valuetext"), "0.001");
    const thumbs = { d_k: [4, 0], scale: [-3, -2] };
    for (const [name, [value, other]] of Object.entries(thumbs)) {
      const thumb = slider(panel, name);
      for (let turn = 0; turn < 2; turn++) {
        await page.fill(thumb, String(other));
        assert.equal(Number(thumb.value), other);
        await page.user.keyboard("{Control>}z{/Control}");
        assert.equal(Number(thumb.value), value);
        assert.equal(Number(scale.value), -3);
      }
    }
  });

  test("the width of weights that are written out cannot be changed", async () => {
    const { panel } = await openScaling(visit, "&source=explicit");
    assert.equal(slider(panel, "d_k").disabled, true);
  });
});
