// Pure: cuts a text that is too long for a product.

/** The longest beginning that fits, with "…". Tests finished bodies: escaping adds length. */
export function truncateToFit(message: string, fits: (text: string) => boolean): string {
  const ends = graphemeEnds(message);
  const cut = (count: number) => `${message.slice(0, count === 0 ? 0 : ends[count - 1])}…`;
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(cut(middle))) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

/** Positions at which a cut does not break a grapheme. */
function graphemeEnds(text: string): number[] {
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(graphemes.segment(text), ({ index, segment }) => index + segment.length);
}
