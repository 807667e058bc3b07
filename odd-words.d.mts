/** One message for each kind of odd word in the text. */
export function findOddWords(text: string): string[];
