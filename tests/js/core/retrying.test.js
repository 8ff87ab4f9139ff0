import assert from "node:assert/strict";
import test from "node:test";
import { Problem } from "../../../static/js/core/api.js";
import { giveUpIfReplaced, outageOf } from "../../../static/js/core/retrying.js";
import { lazyLoad } from "../../../static/js/lib/load.js";
import { newDocument } from "../support/document.js";
import { settle } from "../support/clock.js";
import { refused, serve } from "../support/server.js";
import { storeOf } from "../support/state.js";

test("only what failed for want of a server is unanswered", () => {
  const problem = new Problem({});
  const busy = new Problem({ code: "busy", status: 503 });
  assert.equal(outageOf({ problem, unexplained: null }), problem);
  assert.equal(outageOf({ problem: busy, unexplained: problem }), problem);
  assert.equal(outageOf({ problem: busy, unexplained: null }), null);
});

test("a script of a page that is replaced is given up, and the page says so", async () => {
  const document = newDocument();
  document.querySelector = () => ({ src: "http://attnscope.test/static/js/pages/explore.js" });
  serve(() => refused(404, "not_found"));
  const store = storeOf("cat");
  giveUpIfReplaced(store);
  lazyLoad(() => Promise.reject(new TypeError("Failed to fetch dynamically imported module")));
  await settle();
  await settle();
  assert.equal(store.get().replaced, true);
});
