// Parses the text of a search (docs/voice-api.md#search). Pure.
import {
  addGrams,
  foldLine,
  hasDense,
  joinDigits,
  splitWords,
  toOrganizationTerm,
} from './document.rules.ts';
import { foldText } from './fold.rules.ts';

/** What a line of a document contains when it matches. */
export interface Needle {
  /** Folded; with a blank before and after it, whole words only. */
  readonly text: string;
  /** Digits that may be in groups. */
  readonly isNumber: boolean;
}

/** Matches an utterance that has all of the ones and none of the others. */
export interface SearchGroup {
  readonly all: readonly Needle[];
  readonly none: readonly Needle[];
  /** Terms that a document has when it has `all`; empty: the index cannot help. */
  readonly terms: readonly number[];
}

export interface ParsedSearch {
  readonly text: string;
  /** Any of these; empty: there is nothing to search for. */
  readonly groups: readonly SearchGroup[];
}

/** More terms hardly exclude more documents. */
const TERMS_MAX = 16;
const TOKEN = /(-?)"([^"]*)"?|(\S+)/g;
const GROUPED_NUMBER = /^[+(]*\d+(?:[-.,'()/]{1,3}\d+)+$/;

export function parseSearch(organizationId: string, text: string): ParsedSearch {
  const groups: { all: Needle[]; none: Needle[] }[] = [{ all: [], none: [] }];
  for (const [, minus = '', phrase, bare = ''] of text.matchAll(TOKEN)) {
    if (phrase === undefined && bare.toLowerCase() === 'or') {
      groups.push({ all: [], none: [] });
      continue;
    }
    const isExcluded = minus === '-' || (bare.startsWith('-') && bare.length > 1);
    const needle =
      phrase === undefined ? toPartNeedle(isExcluded ? bare.slice(1) : bare) : toPhraseNeedle(phrase);
    if (needle) groups.at(-1)![isExcluded ? 'none' : 'all'].push(needle);
  }
  return {
    text,
    groups: groups
      .filter(({ all, none }) => all.length + none.length > 0)
      .map(({ all, none }) => ({ all, none, terms: chooseTerms(organizationId, all) })),
  };
}

/** Whole words in this order. Scripts without blanks have no whole words. */
function toPhraseNeedle(phrase: string): Needle | undefined {
  const words = splitWords(foldText(phrase)).join(' ');
  if (words === '') return undefined;
  const [before, after] = [words.charAt(0), words.at(-1)!].map((char) => (hasDense(char) ? '' : ' '));
  return { text: `${before}${words}${after}`, isNumber: false };
}

/** A part of a word. One or two letters are a whole word: as parts, most utterances have them. */
function toPartNeedle(bare: string): Needle | undefined {
  const folded = foldText(bare);
  const digits = GROUPED_NUMBER.test(folded) ? joinDigits(folded) : '';
  if (digits.length > 2) return { text: digits, isNumber: true };
  const words = splitWords(folded).join(' ');
  if (words === '') return undefined;
  const isShort = words.length < 3 && !hasDense(words);
  return { text: isShort ? ` ${words} ` : words, isNumber: /^\d{3,}$/.test(words) };
}

function chooseTerms(organizationId: string, all: readonly Needle[]): readonly number[] {
  const grams = new Set<number>();
  for (const { text } of all) for (const word of text.split(' ')) addGrams(grams, word);
  if (grams.size === 0) return [];
  const step = Math.max(1, grams.size / TERMS_MAX);
  const chosen = [...grams].filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
  return [toOrganizationTerm(organizationId), ...chosen];
}

/** Whether an utterance matches. Postgres tests the lines of documents in the same way. */
export function matchesUtterance({ groups }: ParsedSearch, utterance: string): boolean {
  const line = foldLine(utterance);
  return groups.some(
    ({ all, none }) =>
      all.every(({ text }) => line.includes(text)) && !none.some(({ text }) => line.includes(text)),
  );
}
