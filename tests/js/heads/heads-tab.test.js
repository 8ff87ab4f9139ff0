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
  metrics: [...sent.metrics, { name: "added_here", rivals: ["previous"] }],
  messages: { ...sent.messages, "metric.added_here": "on the one before", "metric.about.added_here": "Two before." },
};

test("a metric that the page's data list is in the address, the menu, the figures, the names and the CSV", () => {
  const { view, ignored } = readAddress(new URL("http://localhost/?metric=added_here&text=a"), page);
  assert.deepEqual([view.metric, ignored], ["added_here", []]);
  assert.deepEqual(readAddress(new URL("http://localhost/?metric=missing"), page).ignored, ["metric=missing"]);

  const metrics = [{ layer: 0, head: 0, entropy: 1, previous: 0.1, added_here: 0.75 }];
  const store = createStore(page, { ...stateOf("cat"), metrics });
  assert.ok(new HeadOptions(store).metric.textContent.endsWith("on the one before"));
  const root = document.createElement("div");
  root.append(...metricsOf(store, store.get()).filter(Boolean));
  assert.match(root.textContent, /on the one before0.75/);
  assert.deepEqual(namingMetric(page, metrics[0]), { name: "added_here", value: 0.75 });

  const [titles, line] = headsCsv(page, { heads: [[{ added_here: 0.9 }]] }, metrics).split("\n");
  const figures = Object.fromEntries(titles.split(",").map((title, at) => [title, line.split(",")[at]]));
  assert.deepEqual([figures.name, figures.added_here, figures.text_added_here], ["added_here", "0.9", "0.75"]);
});
