/* Runs before the first paint, so that the dark theme does not flash white. */
"use strict";

(() => {
  const CHOICES = ["system", "light", "dark"];
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let choice = kept();
  let isPaper = false; // print on white in any theme

  function kept() {
    try {
      const name = localStorage.getItem("theme") ?? "";
      return CHOICES.includes(name) ? name : "system";
    } catch {
      return "system";
    }
  }

  function keep() {
    try {
      localStorage.setItem("theme", choice);
    } catch {
      return;
    }
  }

  function apply() {
    root.dataset.choice = choice;
    const isDark = choice === "system" ? dark.matches : choice === "dark";
    root.dataset.theme = isDark && !isPaper ? "dark" : "light";
    document.dispatchEvent(new Event("themechange"));
  }

  /** @param {HTMLElement} button its data attributes hold the titles */
  function name(button) {
    button.title = button.dataset[choice] ?? "";
    button.setAttribute("aria-label", button.title);
  }

  /** @param {Event} event */
  function print({ type }) {
    isPaper = type === "beforeprint";
    apply();
  }

  apply();
  dark.addEventListener("change", apply);
  addEventListener("beforeprint", print);
  addEventListener("afterprint", print);
  document.addEventListener("DOMContentLoaded", () => {
    /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-theme-switch]")).forEach(name);
  });
  // The document listens, because DOMContentLoaded waits for scripts.
  document.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest("[data-theme-switch]") : null;
    if (!(button instanceof HTMLElement)) return;
    choice = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length];
    keep();
    apply();
    name(button);
  });
})();
