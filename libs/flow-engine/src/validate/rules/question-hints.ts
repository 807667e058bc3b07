// Hints that the words of a question give about how its answer is to be read.
import type { NodeModel } from '../../define/model.ts';
import { atNode, quoted, type Rule } from '../finding.ts';

interface QuestionWords {
  /** The question asks about something that is over. */
  readonly past: RegExp;
  /** The noun that is counted. */
  readonly counted: RegExp;
}

/** By primary subtag; no other language gives hints. */
const wordsByLanguage: Readonly<Record<string, QuestionWords>> = {
  en: {
    past: /\b(?:when|what (?:day|date|time)|which day)\b.*\b(?:did|was|were|happened|occurred|took place)\b/iu,
    counted: /\bhow many (\p{L}+)/iu,
  },
  de: {
    past: /\b(?:wann|welchem tag)\b.*\b(?:war|waren|passiert|geschehen|ereignet|gewesen|hat|haben)\b/iu,
    counted: /\bwie ?viele (\p{L}+)/iu,
  },
  fr: {
    past: /\b(?:quand|quel jour|quelle date|quelle heure)(?!\p{L}).*(?:était|s'est|a eu lieu|arrivé)/iu,
    counted: /\bcombien (?:de |d')(\p{L}+)/iu,
  },
  es: {
    past: /(?:cuándo|qué (?:día|fecha|hora)).*(?:ocurrió|pasó|fue|sucedió)/iu,
    counted: /cuánt[oa]s (\p{L}+)/iu,
  },
  it: {
    past: /\b(?:quando|che giorno|che ora)\b.*(?:è successo|è avvenuto|\bera\b|accaduto)/iu,
    counted: /\bquant[ie] (\p{L}+)/iu,
  },
  pt: {
    past: /\b(?:quando|que dia|que horas)\b.*(?:aconteceu|ocorreu|\bfoi\b)/iu,
    counted: /\bquant[oa]s (\p{L}+)/iu,
  },
  nl: {
    past: /\b(?:wanneer|welke dag|hoe laat)\b.*\b(?:was|waren|gebeurde|gebeurd|gebeurde het)\b/iu,
    counted: /\bhoeveel (\p{L}+)/iu,
  },
};

/** Words that follow "how many" and name no noun. */
const noNouns: ReadonlySet<string> = new Set('of are is do will did'.split(' '));

/** Characters of a prompt that are looked at. */
const promptCharsMax = 300;

const moments: ReadonlySet<string> = new Set(['date', 'datetime']);
const counts: ReadonlySet<string> = new Set(['integer', 'number']);

const promptOf = ({ raw }: NodeModel): string => (raw.prompt ?? '').slice(0, promptCharsMax);

const wordsOf = (language: string | null): QuestionWords | null => {
  const name = (language ?? 'en').toLowerCase().split(/[-_]/)[0] ?? '';
  return Object.hasOwn(wordsByLanguage, name) ? wordsByLanguage[name]! : null;
};

export const pastNotPreferred: Rule = ({ flow }) => {
  const words = wordsOf(flow.language);
  if (words === null) return [];
  return flow.nodes
    .filter(({ type, cast, raw }) => type === 'collect' && moments.has(cast ?? '') && raw['prefer'] == null)
    .filter((node) => words.past.test(promptOf(node)))
    .map((node) => atNode(node, 'The prompt asks about the past: set `prefer` to "past"', 'prompt'));
};

export const unitSuggested: Rule = ({ flow }) => {
  const words = wordsOf(flow.language);
  if (words === null) return [];
  return flow.nodes
    .filter(({ type, cast, raw }) => type === 'collect' && counts.has(cast ?? '') && raw['unit'] == null)
    .flatMap((node) => {
      const noun = words.counted.exec(promptOf(node))?.[1];
      if (noun === undefined || noNouns.has(noun.toLowerCase())) return [];
      return [atNode(node, `The prompt counts ${quoted(noun)}: name it in \`unit\``, 'prompt')];
    });
};
