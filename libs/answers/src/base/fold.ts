// The form in which the texts of a base language are stored and looked up: without case, blanks, hyphens and
// punctuation, with digits 0 to 9. Writers differ in all of these, and none of them changes a value.

/** First digits of the numbering systems that answers are written in; full-width digits are folded by NFKC. */
const zeros = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0be6, 0x0e50];
const nativeDigit = new RegExp(
  `[${zeros.map((zero) => `\\u{${zero.toString(16)}}-\\u{${(zero + 9).toString(16)}}`).join('')}]`,
  'gu',
);

/** Soft hyphens, joiners, directions; vowel marks and the elongation of Arabic; points of Hebrew. */
const unread =
  /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\u0640\u0610-\u061a\u064b-\u0652\u0670\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]/gu;
const separators = /[\s\p{P}]+/gu;

/** Letters that keyboards and recognisers write in several ways: hamza on alif, final sigma, Persian and Arabic yeh and kaf. */
const letterVariants: Readonly<Record<string, string>> = {
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ٱ: 'ا',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
  ς: 'σ',
};
const variantLetter = new RegExp(`[${Object.keys(letterVariants).join('')}]`, 'gu');

/** Two rows of digits stay apart: "3 5" and "3,5" are not 35. */
const keepsApart = (folded: string, before: number, after: number): boolean =>
  isDigit(folded[before]) && isDigit(folded[after]);

const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9';

/** Where two words meet, these write a letter twice that each of them would bring: "ett tusen" is "ettusen". */
const doubling: ReadonlySet<string> = new Set(['da', 'nb', 'sv']);

/** Digits of any script as 0 to 9. */
export const foldDigits = (text: string): string =>
  text
    .replace(/[\uff10-\uff19]/g, (digit) => digit.normalize('NFKC'))
    .replace(nativeDigit, (digit) => String(digitOf(digit.codePointAt(0)!)));

/** Folds a text of the language (a primary subtag: Turkish has two letters I). */
export function foldBase(text: string, language: string): string {
  const plain = foldDigits(text)
    .normalize('NFKC')
    .toLocaleLowerCase(language)
    .replace(unread, '')
    .replace(variantLetter, (letter) => letterVariants[letter]!)
    .trim();
  const joined = plain.replace(separators, (mark, at: number) =>
    keepsApart(plain, at - 1, at + mark.length) ? ' ' : '',
  );
  return doubling.has(language) ? joined.replace(/(\p{L})\1\1/gu, '$1$1') : joined;
}

const digitOf = (codePoint: number): number => codePoint - zeros.findLast((zero) => zero <= codePoint)!;
