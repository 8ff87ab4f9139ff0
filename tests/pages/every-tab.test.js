/** Every tab on every kind of model and text: it draws, and the page complains of nothing. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { TABS } from "../../static/js/core/address/fields.js";
import { kinds } from "../js/support/sent.js";
import { rowsOf } from "./support/full.js";
import { onePage } from "./support/one-page.js";

const uploaded = (kind, text, more = "") => `source=uploaded&id=${kinds[kind]}&text=${encodeURIComponent(text)}${more}`;
const OPENED = {
  "a pair and an encoder": uploaded("bert", "the animal", "&pair=too%20tired"),
  "a deep decoder": uploaded("deep", "it was too tired because it was too tired, it was", "&heads=3.1_7.2"),
  "sequence to sequence": uploaded("seq2seq", "Because it", "&context=It%20was%20tired"),
  "a batch and a mapped model": `t=${kinds.batch}&batch=1`,
  "a long text": `t=${kinds.long}`,
  "a shipped model": "source=installed&name=echo&text=Emma%20saw%20Mr.%20Weston.%20Emma",
};

describe("every tab of", () => {
  const visit = onePage();

  for (const [kind, question] of rowsOf(Object.entries(OPENED), 5))
    test(kind, async () => {
      for (const tab of TABS) {
        const page = await visit(`/?${question}${tab === "stages" ? "" : `&tab=${tab}`}`);
        assert.deepEqual(page.complaints, [], tab);
      }
    });
});
