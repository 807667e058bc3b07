// The end of a sentence.

const sentenceEnds: ReadonlySet<string | undefined> = new Set([...' \n\t.!?,;…']);

/**
 * Speech-to-text ends sentences: "Twenty-one." A loop, since a regex for the end of a text takes
 * quadratic time on "......x".
 */
export function withoutFullStop(answer: string): string {
  let end = answer.length;
  while (sentenceEnds.has(answer[end - 1])) end--;
  return answer.slice(0, end).trim();
}
