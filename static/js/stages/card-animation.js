/** Lights up the cards once per visit, unless the reader prefers reduced motion. */

const SEEN = "lit"; // key in session storage
const STEP = 110; // ms between two cards

/** @type {ViewOf} */
export const animateFirstVisit = (root) => {
  let done = false;
  return {
    update({ status, view }) {
      if (done || status !== "ready") return;
      done = true;
      if (view.tab === "stages" && isFirstVisit() && !matchMedia("(prefers-reduced-motion: reduce)").matches)
        light(root);
    },
    destroy: () => undefined,
  };
};

function isFirstVisit() {
  try {
    const seen = sessionStorage.getItem(SEEN);
    sessionStorage.setItem(SEEN, "1");
    return seen === null;
  } catch {
    return false;
  }
}

/** @param {HTMLElement} root */
function light(root) {
  const cards = /** @type {HTMLElement[]} */ ([...root.querySelectorAll(".card[data-stage]:not([hidden])")]);
  cards.forEach((card, at) => {
    card.style.animationDelay = `${at * STEP}ms`;
    card.classList.add("first-light");
    card.addEventListener("animationend", () => card.classList.remove("first-light"), { once: true });
  });
}
