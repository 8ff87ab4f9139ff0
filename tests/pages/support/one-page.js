/** One page for the tests of a suite: each begins at an address of its own, and only the first opens the page there. */

import assert from "node:assert/strict";
import { after, afterEach } from "node:test";
import { Explore, SEEDED, openExplore } from "./explore.js";

/** @typedef {(address?: string) => Promise<Explore>} Visit */

const BASE = "http://localhost";

/** What no walk changes: the page, and its language. @param {string} address */
function placeOf(address) {
  const { pathname, searchParams } = new URL(address, BASE);
  return `${pathname} ${searchParams.get("lang")}`;
}

/**
 * Called in a suite. A test fails by its own name where the page complained; after one that failed the next gets a new
 * page.
 * @template [Kind=Explore] a kind of Explore, whose members may be called otherwise
 * @param {() => Kind} [make]
 * @param {string} [first] the address of tests that name none
 * @returns {(address?: string) => Promise<Kind>} the page at an address, with all that it requests there
 */
export function onePage(make = /** @type {any} */ (() => new Explore()), first = SEEDED) {
  /** @type {Map<string, any>} */
  const pages = new Map();

  function close() {
    for (const page of pages.values()) page.close();
    pages.clear();
  }

  afterEach(({ passed }) => {
    const complaints = [...pages.values()].flatMap((page) => page.complaints.splice(0));
    if (passed === false || complaints.length) close(); // node 18 does not say it: a page is kept there
    assert.deepEqual(complaints, []);
  });
  after(close);

  return async (address = first) => {
    const place = placeOf(address);
    const page = pages.get(place);
    if (page && placeOf(page.address) === place) {
      page.refusals = [];
      await page.walk(address);
      return page;
    }
    page?.close(); // a test went elsewhere with it
    /** @type {any} */
    const opened = make();
    pages.set(place, opened);
    await opened.goto(address);
    await opened.whole();
    await opened.settled();
    return opened;
  };
}

/**
 * A page that one test has to itself: for what no address says and a walk would leave behind.
 * @param {any} test
 * @param {ConstructorParameters<typeof Explore>[0]} [options]
 * @returns {Visit}
 */
export const ownPage = (test, options) => async (address) => {
  const page = await openExplore(test, null, options);
  await page.goto(address);
  return page;
};
