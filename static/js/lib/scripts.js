export const RIGHT_TO_LEFT = /\p{Script=Hebrew}|\p{Script=Arabic}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}/u;

/**
 * Whether any label has right-to-left letters. `char`: the character to which a piece's bytes belong.
 * @param {{text: string, char?: string}[]} labels
 */
export const runsRight = (labels) => labels.some(({ text, char = text }) => RIGHT_TO_LEFT.test(char));
