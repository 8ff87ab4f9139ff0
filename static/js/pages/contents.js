/** The contents of the course: which chapters are finished. */

import { offerToForget } from "../learn/ticks.js";
import { updateHeader } from "../shell/header.js";

updateHeader();
offerToForget();
