/** Cross-attention as the tests use it: three tokens that attend to six. */

export const ADDRESS = "/?text=Die%20Katze%20sass&context=The%20cat%20sat%20on%20the%20mat";
export const BODY = { text: "Die Katze sass", context: "The cat sat on the mat" };
export const QUERIES = ["Die", "Katze", "sass"];
export const KEYS = ["The", "cat", "sat", "on", "the", "mat"];

/** The box of the context. @param {import("./explore.js").Explore} page */
export const contextBox = (page) => page.in(page.one("#sentence")).getByRole("textbox", { name: "Context" });

/** @param {import("./explore.js").Explore} page */
export function contextChips(page) {
  const strip = page.in().getByRole("listbox", { name: "Tokens of the context" });
  return page.in(strip).getAllByRole("option");
}

/** The texts of elements. @param {any[]} elements */
export const texts = (elements) => elements.map((each) => each.textContent);
