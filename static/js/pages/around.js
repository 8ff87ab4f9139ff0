/** What stands around the pictures and is empty before them: fetched once they have their numbers. */

import { inspector } from "../views/inspector.js";
import { picked } from "../views/picked.js";
import { spoken } from "../views/spoken.js";

export { drawOnPaper } from "../views/paper.js";
export { acceptDrops } from "../views/upload.js";

export const AROUND = { picked, inspector, spoken };
