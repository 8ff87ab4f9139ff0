/** The contents of the course: a small picture of each chapter, and which of them are finished. */

import { drawGlances } from "../learn/glance.js";
import { offerToForget } from "../learn/ticks.js";
import { updateHeader } from "../shell/header.js";

updateHeader();
offerToForget();
drawGlances();
