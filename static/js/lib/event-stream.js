/** Parses server-sent events (WHATWG HTML, section 9.2). Skips comments. */

/** @param {string} text @returns the complete events, and the text after them */
export function split(text) {
  const blocks = text.split("\n\n");
  const rest = blocks.pop() ?? "";
  return { events: blocks.map(read).filter(({ data }) => data), rest };
}

/** @param {string} block */
function read(block) {
  const lines = block.split("\n");
  const of = (/** @type {string} */ field) =>
    lines
      .filter((line) => line.startsWith(`${field}:`))
      .map((line) => line.slice(field.length + 1).replace(/^ /, ""))
      .join("\n");
  return { event: of("event") || "message", data: of("data") };
}

/** @param {ReadableStream<Uint8Array>} body */
export const eventsOf = async function* (body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const { events, rest } = split(text + decoder.decode(value, { stream: true }));
    text = rest;
    for (const { event, data } of events) yield { event, data: JSON.parse(data) };
  }
};
