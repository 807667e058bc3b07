// Folds texts for search (docs/voice-api.md#search): case, accents, widths, and the forms of
// letters and digits do not count. Pure.

/**
 * Controls; accents; marks and elongation of Arabic; points of Hebrew; joiners, directions, soft
 * hyphens, variation selectors. Vowel signs of other scripts stay.
 */
const IGNORED =
  /[\u0000-\u0008\u000e-\u001f\u007f\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]/gu;

/** Letters and signs that NFKD leaves as they are, in lower case. */
const SPELLINGS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ı: 'i', // Turkish
  ς: 'σ',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  þ: 'th',
  // Arabic and Persian spellings of one letter.
  ٱ: 'ا',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
  // Dashes and apostrophes within a word.
  '‐': '-',
  '‑': '-',
  '–': '-',
  '—': '-',
  '−': '-',
  '‘': "'",
  '’': "'",
  ʼ: "'",
};
const SPELLED = new RegExp(`[${Object.keys(SPELLINGS).join('')}]`, 'gu');
const ASCII = /^[\t-\r -~]*$/;
const NATIVE_DIGIT = /(?![0-9])\p{Nd}/gu;

/** Blanks and punctuation stay. */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(IGNORED, '')
    .replace(SPELLED, (letter) => SPELLINGS[letter]!)
    .replace(NATIVE_DIGIT, toDigit)
    .normalize('NFC');
}

/** The digits of a script follow each other from its zero on. */
function toDigit(digit: string): string {
  let value = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(digit.codePointAt(0)! - value - 1))) value += 1;
  return String(value % 10);
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

export interface MappedText {
  readonly folded: string;
  /** For each UTF-16 unit of `folded`, and for its end, where it begins in the text. */
  readonly starts: readonly number[];
}

/** The fold with the position of each character, to mark matches. */
export function foldMapped(text: string): MappedText {
  let folded = '';
  const starts: number[] = [];
  for (const { segment, index } of graphemes.segment(text)) {
    const part = foldText(segment);
    for (let unit = 0; unit < part.length; unit += 1) starts.push(index);
    folded += part;
  }
  return { folded, starts: [...starts, text.length] };
}
