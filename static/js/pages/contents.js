import { drawGlances } from "../learn/thumbnails.js";
import { startProgress } from "../learn/progress.js";
import { offerToForget } from "../learn/solved.js";
import { updateHeader } from "../shell/header.js";

updateHeader();
offerToForget();
startProgress();
drawGlances();
