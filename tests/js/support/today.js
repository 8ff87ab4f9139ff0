/** What every browser of today has, and Node.js 18 has not yet: every test is run with it. */

import { File } from "node:buffer";
import "./arrays.js";

globalThis.File ??= File;
