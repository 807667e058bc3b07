// Folds the texts of a base language for storage and lookup: no case, blanks, hyphens and
// punctuation, and digits 0 to 9. Writers differ in all of these, and none changes a value.

/**
 * First digits of the numbering systems that answers are written in; full-width digits are folded
 * by NFKC.
 */
const zeros = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0be6, 0x0e50];
const nativeDigit = new RegExp(
  `[${zeros.map((zero) => `\\u{${zero.toString(16)}}-\\u{${(zero + 9).toString(16)}}`).join('')}]`,
  'gu',
);

/**
 * Soft hyphens, joiners, directions; vowel marks and the elongation of Arabic; points of Hebrew;
 * nukta; Ukrainian's apostrophe.
 */
const unread =
  /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\u0640\u0610-\u061a\u064b-\u0652\u0670\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u093c\u02bc]/gu;
const separators = /[\s\p{P}]+/gu;

/**
 * What people and recognisers write in several ways, without blanks; the letters are those of one
 * language each.
 */
const spellings: Readonly<Record<string, string>> = {
  // Hamza on alif, final sigma, Persian and Arabic yeh and kaf.
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ٱ: 'ا',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
  ς: 'σ',
  // Arabic: a hundred with and without alif, and tens as they are spoken.
  مائ: 'مئ',
  ميه: 'مئه',
  عشرين: 'عشرون',
  ثلاثين: 'ثلاثون',
  اربعين: 'اربعون',
  خمسين: 'خمسون',
  ستين: 'ستون',
  سبعين: 'سبعون',
  ثمانين: 'ثمانون',
  تسعين: 'تسعون',
  مئتين: 'مئتان',
  // Romanian: cedillas for commas. Greek: without accents, and the spoken seven, eight and nine.
  ş: 'ș',
  ţ: 'ț',
  ά: 'α',
  έ: 'ε',
  ή: 'η',
  ί: 'ι',
  ό: 'ο',
  ύ: 'υ',
  ώ: 'ω',
  εφτ: 'επτ',
  οχτ: 'οκτ',
  εννια: 'εννεα',
  εννιά: 'εννεα',
  // Hindi: chandrabindu; Bengali: a hundred; Thai: one hundred, one thousand.
  'ँ': 'ं',
  छः: 'छह',
  শো: 'শ',
  শত: 'শ',
  หนึ่งร้อย: 'ร้อย',
  หนึ่งพัน: 'พัน',
  // Tamil: tens, hundreds and thousands before a rest.
  பத்தி: 'பது',
  இருபத்து: 'இருபது',
  முப்பத்து: 'முப்பது',
  நூற்று: 'நூறு',
  ஆயிரத்து: 'ஆயிரம்',
  // Vietnamese: southern words, and words that may be omitted before the last digit.
  ngàn: 'nghìn',
  linh: 'lẻ',
  bẩy: 'bảy',
  trừ: 'âm',
  khôngtrăm: '',
  mươimốt: 'mốt',
  mươilăm: 'lăm',
  mươitư: 'tư',
  tyve: 'tjue',
  tredve: 'tretti',
  ゼロ: '零',
};
const spelling = new RegExp(
  Object.keys(spellings)
    .sort((one, other) => other.length - one.length)
    .join('|'),
  'gu',
);

/** Two rows of digits stay separate: "3 5" and "3,5" are not 35. */
const keepsApart = (folded: string, before: number, after: number): boolean =>
  isDigit(folded[before]) && isDigit(folded[after]);

const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9';

/** In these languages two adjoining words share a double letter: "ett tusen" is "ettusen". */
const doubling: ReadonlySet<string> = new Set(['da', 'nb', 'sv']);

/** Digits of any script as 0 to 9. */
export const foldDigits = (text: string): string =>
  text
    .replace(/[\uff10-\uff19]/g, (digit) => digit.normalize('NFKC'))
    .replace(nativeDigit, (digit) => String(toDigit(digit.codePointAt(0)!)));

/** Folds a text of the language (a primary subtag: Turkish has two letters I). */
export function foldBase(text: string, language: string): string {
  const plain = foldDigits(text).normalize('NFKC').toLocaleLowerCase(language).replace(unread, '').trim();
  const joined = plain
    .replace(separators, (mark, at: number) => (keepsApart(plain, at - 1, at + mark.length) ? ' ' : ''))
    .replace(spelling, (written) => spellings[written]!);
  return doubling.has(language) ? joined.replace(/(\p{L})\1\1/gu, '$1$1') : joined;
}

const toDigit = (codePoint: number): number => codePoint - zeros.findLast((zero) => zero <= codePoint)!;
