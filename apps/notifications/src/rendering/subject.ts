// Pure: the subject of a send that has none.

/** Length of the subject taken from the message when none was given. */
export const DEFAULT_SUBJECT_CHARS = 80;

/** A blank subject counts as absent: mail needs one. */
export function chooseSubject(
  given: string | undefined,
  message: string,
): { subject: string; subjectGiven: boolean } {
  if (given !== undefined && given.trim() !== '') return { subject: given, subjectGiven: true };
  return { subject: firstGraphemes(message, DEFAULT_SUBJECT_CHARS), subjectGiven: false };
}

/** The first `charsMax` graphemes of a text. */
export function firstGraphemes(text: string, charsMax: number): string {
  let count = 0;
  for (const { index } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    if (count === charsMax) return text.slice(0, index);
    count += 1;
  }
  return text;
}
