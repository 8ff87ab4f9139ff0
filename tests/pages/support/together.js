/** Runs several files of tests in one process: `node … together.js FILE…`. */

import { pathToFileURL } from "node:url";

for (const file of process.argv.slice(2)) await import(pathToFileURL(file).href);
