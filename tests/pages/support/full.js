/** What only `make test-full` runs. Each feature has its story in `make test`, and all tests there run the same code. */

import test from "node:test";

const FULL = Boolean(process.env.ATTNSCOPE_FULL);

/** A test of `make test-full`. */
export const full = FULL ? test : () => undefined;

/** All rows of a table in `make test-full`, else its first. @template Row @param {Row[]} rows @returns {Row[]} */
export const rowsOf = (rows, count = 1) => (FULL ? rows : rows.slice(0, count));
