// The search document of a conversation: its utterances folded, and the grams of their words
// (docs/voice-api.md#search). Pure.
import { foldText } from './fold.rules.ts';

/** Characters of an utterance that are searched. */
export const UTTERANCE_CHARACTERS_MAX = 20_000;
/** Characters of a document. */
export const DOCUMENT_CHARACTERS_MAX = 1_000_000;

/** Without the punctuation around it. */
const CORE = /[^\p{P}\p{S}](?:.*[^\p{P}\p{S}])?/su;
/** Most words; much faster. */
const PLAIN = /^[a-z0-9]+$/;
/** Numbers in groups of digits: of phones, cards, amounts, dates. */
const GROUPED = /(?<!\d)\d+(?:[ \-.,'()/]{1,3}\d+)+/g;

export interface SearchDocument {
  /** One line for each utterance: see `foldLine`. */
  readonly words: string;
  /** Lines of scrubbed utterances that differ, by their number from 1; null: none does. */
  readonly scrubbed: Readonly<Record<number, string>> | null;
  /** Hashes of the grams, and of the organisation. */
  readonly grams: readonly number[];
}

/**
 * @param scrub an utterance by its place, as readers without the scope `pii` get it; called for
 *   those alone that fit
 */
export function buildDocument(
  organizationId: string,
  utterances: readonly string[],
  scrub: (at: number) => string = (at) => utterances[at]!,
): SearchDocument {
  const lines: string[] = [];
  const hidden: Record<number, string> = {};
  let characters = 0;
  for (const [at, utterance] of utterances.entries()) {
    const line = foldLine(utterance);
    characters += line.length + 1;
    if (characters > DOCUMENT_CHARACTERS_MAX) break;
    lines.push(line);
    const scrubbed = scrub(at);
    if (scrubbed !== utterance) hidden[at + 1] = foldLine(scrubbed);
  }
  const grams = new Set([toOrganizationTerm(organizationId)]);
  const all = [...lines, ...Object.values(hidden)];
  for (const word of new Set(all.flatMap((line) => line.split(' ')))) addGrams(grams, word);
  const isScrubbed = all.length > lines.length;
  return { words: lines.join('\n'), scrubbed: isScrubbed ? hidden : null, grams: [...grams] };
}

/**
 * A blank before and after each word; numbers in groups of digits follow once more, as one word
 * each, behind two blanks.
 */
export function foldLine(utterance: string): string {
  const folded = foldText(utterance.slice(0, UTTERANCE_CHARACTERS_MAX));
  const numbers = (folded.match(GROUPED) ?? []).map((group) => ` ${joinDigits(group)} `);
  return ` ${splitWords(folded).join(' ')} ${numbers.join('')}`;
}

export const joinDigits = (group: string): string => group.replace(/\D/g, '');

/** The words of a folded text, without punctuation around them. */
export function splitWords(folded: string): string[] {
  return folded.split(/\s+/).flatMap((part) => (PLAIN.test(part) ? part : (CORE.exec(part)?.[0] ?? [])));
}

/** A term that every document of the organisation has. */
export function toOrganizationTerm(organizationId: string): number {
  return [...`organization ${organizationId}`].reduce((sum, char) => mix(sum, char.codePointAt(0)!), SEED);
}

/** Adds each two adjoining characters of Chinese, Japanese and Korean, each three of others. */
export function addGrams(grams: Set<number>, word: string): void {
  for (let at = 0; at < word.length - 1; at += 1) {
    const [first, second] = [word.charCodeAt(at), word.charCodeAt(at + 1)];
    const two = mix(mix(SEED, first), second);
    if (isDense(first) && isDense(second)) grams.add(two);
    else if (at < word.length - 2) grams.add(mix(two, word.charCodeAt(at + 2)));
  }
}

export const hasDense = (word: string): boolean =>
  Array.from({ length: word.length }, (_, at) => word.charCodeAt(at)).some(isDense);

/** Hangul, kana and Han of the basic plane. */
function isDense(unit: number): boolean {
  if (unit < 0x1100) return false;
  return (
    unit <= 0x11ff ||
    (unit >= 0x3005 && unit <= 0x3007) ||
    (unit >= 0x3040 && unit <= 0x31ff) ||
    (unit >= 0x3400 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xd7a3)
  );
}

const SEED = 0x9e37;
function mix(before: number, unit: number): number {
  const mixed = Math.imul(before ^ unit, 0x01000193);
  return mixed ^ (mixed >>> 15);
}
