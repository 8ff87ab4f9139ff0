/** Whether a key belongs to an input method. Safari ends a composition before the key that accepts it; its code is 229. */
export const isComposing = (/** @type {KeyboardEvent} */ event) => event.isComposing || event.keyCode === 229;
