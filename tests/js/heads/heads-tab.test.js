import assert from "node:assert/strict";
import test from "node:test";
import { readAddress } from "../../../static/js/core/address/address.js";
import { namingMetric } from "../../../static/js/core/head-names.js";
import { headsCsv } from "../../../static/js/heads/found-heads.js";
import { metricsOf } from "../../../static/js/heads/head-metrics.js";
import { HeadOptions } from "../../../static/js/heads/heads-tab.js";
import { createStore } from "../../../static/js/lib/store.js";
import { newDocument } from "../support/document.js";
import { page as sent } from "../support/sent.js";
import { stateOf } from "../support/state.js";

newDocument();

const page = {
  ...sent,
  metrics: [...sent.metrics, { name: "two_back", rivals: ["previous"] }],
  messages: { ...sent.messages, "metric.two_back": "on the one before", "metric.about.two_back": "Two before." },
};

test("a metric that the page's data list is in the address, the menu, the figures, the names and the CSV", () => {
  const { view, ignored } = readAddress(new URL("http://localhost/?metric=two_back&text=a"), page);
  assert.deepEqual([view.metric, ignored], ["two_back", []]);
  assert.deepEqual(readAddress(new URL("http://localhost/?metric=three_back"), page).ignored, ["metric=three_back"]);

  const metrics = [{ layer: 0, head: 0, entropy: 1, previous: 0.1, two_back: 0.75 }];
  const store = createStore(page, { ...stateOf("cat"), metrics });
  assert.ok(new HeadOptions(store).metric.textContent.endsWith("on the one before"));
  const root = document.createElement("div");
  root.append(...metricsOf(store, store.get()).filter(Boolean));
  assert.match(root.textContent, /on the one before0.75/);
  assert.deepEqual(namingMetric(page, metrics[0]), { name: "two_back", value: 0.75 });

  const [titles, line] = headsCsv(page, { heads: [[{ two_back: 0.9 }]] }, metrics).split("\n");
  const figures = Object.fromEntries(titles.split(",").map((title, at) => [title, line.split(",")[at]]));
  assert.deepEqual([figures.name, figures.two_back, figures.text_two_back], ["two_back", "0.9", "0.75"]);
});
