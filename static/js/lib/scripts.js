/** Right-to-left scripts. */
export const RIGHT_TO_LEFT = /\p{Script=Hebrew}|\p{Script=Arabic}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}/u;

/**
 * Whether some text, or the character that it is a byte of, runs right to left.
 * @param {{text: string, char?: string}[]} labels
 */
export const runsRight = (labels) => labels.some(({ text, char = text }) => RIGHT_TO_LEFT.test(char));
