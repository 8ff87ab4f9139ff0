/** Whether a key belongs to an input method. Safari ends the composition before the key that accepts it: then it is 229. */
export const isComposing = (/** @type {KeyboardEvent} */ event) => event.isComposing || event.keyCode === 229;
