// Facts of a language for reading phone numbers and addresses in words, in the pattern syntax of
// grammar/phrases.ts.

export interface SpellingWords {
  /** Words for a symbol of an address. */
  readonly symbols: Readonly<
    Partial<Record<'@' | '.' | '_' | '-' | '+' | '/' | ':' | '#' | '=' | '&' | '?' | '~', string>>
  >;
  /** Words for a letter, beside the letter itself: "double u". */
  readonly letters: Readonly<Record<string, string>>;
  /** Doubles the next sign: "double five", "double l". */
  readonly twice: string;
  readonly thrice: string;
  /** A zero digit by digit, beside the number word: "oh". */
  readonly zero: string;
  /** Between a letter and the name that spells it: "M wie Martha". */
  readonly as: string;
  /** Before an address or a number: "my address is". */
  readonly carriers: string;
  /** Before an extension of a phone number. */
  readonly extension: string;
  /** Words of sentences that are no part of an address. */
  readonly noPart: string;
}

export const noSpelling: SpellingWords = {
  symbols: {},
  letters: {},
  twice: '',
  thrice: '',
  zero: '',
  as: '',
  carriers: '',
  extension: '',
  noPart: '',
};
