/** On paper: pictures in light colours, in the size they have on the screen, for no picture is made anew there. */

/** @param {import("../data/state.js").Store} store */
export function drawOnPaper(store) {
  /** @type {() => void} */
  let undo = () => {};
  window.addEventListener("beforeprint", () => {
    const root = document.documentElement;
    const theme = root.dataset.theme ?? "light";
    const frames = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".card, #large")]);
    const sizes = frames.map(({ offsetWidth }) => `${offsetWidth}px`);
    frames.forEach((frame, at) => (frame.style.width = sizes[at]));
    show("light");
    undo = () => {
      for (const frame of frames) frame.style.width = "";
      show(theme);
    };
  });
  window.addEventListener("afterprint", () => undo());

  /** @param {string} theme */
  function show(theme) {
    document.documentElement.dataset.theme = theme;
    store.set({ theme }, { silent: true });
  }
}
