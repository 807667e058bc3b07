// The lexical classifier: compares the words of the utterance with `label` and `nl` of each
// candidate. Pure and deterministic. It prefers no answer to a doubtful one.
import type { BranchQuestion, Candidate, Classification } from '@parley/flow-engine';
import { readWords, type Word } from './words.ts';

/**
 * A lower score is no answer, even for a lower minimum confidence: below are ties and
 * chance matches.
 */
const CONFIDENCE_FLOOR = 0.5;
/**
 * Characters of the utterance, of one condition or label, and of all conditions that are read: the
 * important words come early, and time stays bounded.
 */
const UTTERANCE_CHARS_MAX = 500;
const CONDITION_CHARS_MAX = 500;
const CONDITIONS_CHARS_MAX = 20_000;

/** A choice must outweigh this: the case that no candidate fits … */
const DOUBT = 0.5;
/** … and more of it for every word that the candidate does not explain. */
const DOUBT_PER_WORD = 0.06;
/**
 * Up to this number of words in a condition each counts fully: one word of a long description
 * proves little.
 */
const FULL_WEIGHT_WORDS = 4;

/**
 * Chooses the candidate that shares the most specific words with the utterance, or `none` when no
 * candidate stands out. A negated word ("I don't want to cancel") counts against its candidate.
 */
export function classifyLexically({ utterance, candidates }: BranchQuestion): Classification {
  // What the engine did not recognise by examples, the words of conditions would only guess.
  if (candidates.some(({ examples }) => examples !== undefined)) return { kind: 'none' };
  const spoken = selectSpecific(readWords(utterance.slice(0, UTTERANCE_CHARS_MAX), 'clause'));
  const charsMax = Math.min(CONDITION_CHARS_MAX, Math.floor(CONDITIONS_CHARS_MAX / candidates.length));
  const offers = candidates.map((candidate) => readOffer(candidate, charsMax));
  const rarities = readRarities(offers);
  const scores = offers.map((offer) => score(offer, spoken, rarities));
  let best = scores[0];
  for (const next of scores) if (best === undefined || next.evidence > best.evidence) best = next;
  if (best === undefined || best.evidence <= 0) return { kind: 'none' };
  const confidence = computeConfidence(
    best,
    scores.filter((other) => other !== best),
    spoken.size,
  );
  return confidence < CONFIDENCE_FLOOR ? { kind: 'none' } : { kind: 'chosen', index: best.index, confidence };
}

/**
 * The lead over the runner-up, divided by itself plus rival evidence plus doubt. Words that two
 * candidates share cancel out of the lead.
 */
function computeConfidence(best: Score, others: readonly Score[], spokenWords: number): number {
  const runnerUp = Math.max(0, ...others.map(({ evidence }) => evidence));
  const rival = Math.max(0, ...others.map((other) => sumOtherEvidence(other, best)));
  const doubt = DOUBT + DOUBT_PER_WORD * (spokenWords - best.matches.size);
  const lead = best.evidence - runnerUp;
  return lead / (lead + rival + doubt);
}

interface Offer {
  readonly index: number;
  /** By stem. `weight`: the value of a match before rarity. */
  readonly words: ReadonlyMap<string, Word & { readonly weight: number }>;
}

function readOffer({ index, nl, label }: Candidate, charsMax: number): Offer {
  const described = selectSpecific(readWords(nl.slice(0, charsMax), 'next'));
  const weight = Math.sqrt(Math.min(1, FULL_WEIGHT_WORDS / Math.max(1, described.size)));
  const words = new Map([...described].map(([stem, word]) => [stem, { ...word, weight }]));
  // A label is a name: each of its words counts fully.
  for (const [stem, word] of selectSpecific(readWords((label ?? '').slice(0, charsMax), 'next'))) {
    words.set(stem, { ...word, weight: 1 });
  }
  return { index, words };
}

/**
 * Each word once, by stem, in its last form. General words ("help", "problem") count only alone.
 */
function selectSpecific(words: readonly Word[]): Map<string, Word> {
  const specific = words.filter(({ generic }) => !generic);
  return new Map((specific.length > 0 ? specific : words).map((word) => [word.stem, word]));
}

interface Score {
  readonly index: number;
  readonly evidence: number;
  /** The evidence of each shared word: negative where one side negates it. */
  readonly matches: ReadonlyMap<string, number>;
}

function score({ index, words }: Offer, spoken: ReadonlyMap<string, Word>, rarities: Rarities): Score {
  const matches = new Map<string, number>();
  for (const [stem, word] of spoken) {
    const match = words.get(stem);
    if (match === undefined) continue;
    // Fewer conditions have "book" than share its stem ("bookings"), so an equal form is stronger
    // evidence.
    const rarity = Math.max(rarities.ofStem(match), word.form === match.form ? rarities.ofForm(match) : 0);
    matches.set(stem, (match.negated === word.negated ? 1 : -1) * match.weight * rarity);
  }
  return { index, matches, evidence: [...matches.values()].reduce((sum, worth) => sum + worth, 0) };
}

function sumOtherEvidence(other: Score, best: Score): number {
  let evidence = 0;
  for (const [stem, worth] of other.matches) if (!best.matches.has(stem)) evidence += worth;
  return evidence;
}

interface Rarities {
  ofStem(word: Word): number;
  ofForm(word: Word): number;
}

/**
 * 1 for a word of one candidate, near 0 for a word of all (inverse document frequency, scaled).
 * "interested" and "not interested" count as two words, because they distinguish candidates.
 */
function readRarities(offers: readonly Offer[]): Rarities {
  const having = new Map<string, number>();
  for (const { words } of offers) {
    for (const word of words.values()) {
      for (const key of [stemKey(word), formKey(word)]) having.set(key, (having.get(key) ?? 0) + 1);
    }
  }
  const rarest = inverseFrequency(1, offers.length);
  const rarity = (key: string) => inverseFrequency(having.get(key) ?? 1, offers.length) / rarest;
  return { ofStem: (word) => rarity(stemKey(word)), ofForm: (word) => rarity(formKey(word)) };
}

const stemKey = ({ stem, negated }: Word): string => `stem ${negated} ${stem}`;
const formKey = ({ form, negated }: Word): string => `form ${negated} ${form}`;

function inverseFrequency(having: number, all: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}
