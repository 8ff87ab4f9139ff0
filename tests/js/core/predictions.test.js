import assert from "node:assert/strict";
import test from "node:test";
import { predictionRequest, predictsMasked } from "../../../static/js/core/predictions.js";
import { settle } from "../support/clock.js";
import { page } from "../support/sent.js";
import { serve } from "../support/server.js";
import { stateOf } from "../support/state.js";

const seeded = stateOf("cat");
const installed = { ...seeded, question: { ...seeded.question, model: { source: "installed", name: "echo" } } };

test("it is asked about the selected token, once while that stays", async () => {
  const asked = serve(({ path }) => ({ path }));
  const heard = [];
  const ask = predictionRequest(page, (found) => heard.push(found));
  ask(installed, 2);
  ask(installed, 2);
  await settle();
  await settle();
  assert.equal(asked.length, 1);
  assert.match(asked[0].path, /predictions\?batch=0&position=2&top=50$/);
  assert.equal(heard.at(-1).of, `${seeded.answer.reply.trace} batch=0`);
});

test("of others, and of no token, nothing is expected", async () => {
  const asked = serve(() => ({}));
  const heard = [];
  const ask = predictionRequest(page, (found) => heard.push(found));
  ask(seeded, 2);
  ask(installed, null);
  await settle();
  assert.deepEqual([asked.length, heard], [0, [null]]);
});

test("a model that says what is masked expects nothing to come", async () => {
  const asked = serve(() => ({}));
  const [echo] = page.installed;
  const all = { ...page, installed: [{ ...echo, predicts: "masked" }] };
  const state = { ...installed, question: { ...installed.question, model: { source: "installed", name: echo.name } } };
  const heard = [];
  predictionRequest(all, (found) => heard.push(found))(state, 2);
  await settle();
  await settle();
  assert.deepEqual([asked.length, heard.at(-1) ?? null], [0, null]);
  assert.deepEqual(
    [predictsMasked(all, state), predictsMasked(page, state), predictsMasked(all, seeded)],
    [true, false, false],
  );
});
