/** What stands around the pictures and is empty before them: fetched once they have their numbers. */

import { inspector } from "../inspector/inspector.js";
import { picked } from "../picked/picked-panel.js";
import { spoken } from "../matrix/spoken.js";

export { drawOnPaper } from "../share/print.js";
export { acceptDrops } from "../question/drops.js";

export const AROUND = { picked, inspector, spoken };
