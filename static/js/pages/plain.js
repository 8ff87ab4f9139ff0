/** A page without a state: only the header's links follow the address. */

import { updateHeader } from "../views/header.js";

updateHeader();
