// Hints about the reading of an answer, from the words of its question.
import { readAnswerRules } from '@parley/flow-engine/define/answer-rules';
import { listComparisons } from '@parley/flow-engine/define/conditions';
import type { NodeModel } from '@parley/flow-engine/define/model';
import { atNode, quoted } from '../finding.ts';
import type { Rule } from '../rule.ts';
import type { FlowIndex } from '../flow-index.ts';
import { groupBy } from '../group-by.ts';
import type { VariableRead } from '../variable-uses.ts';

interface QuestionWords {
  /** The question asks about the past. */
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

/** Words that follow "how many" and are no noun. */
const noNouns: ReadonlySet<string> = new Set('of are is do will did'.split(' '));

/** Characters of a prompt that are examined. */
const promptCharsMax = 300;

const moments: ReadonlySet<string> = new Set(['date', 'datetime']);
const counts: ReadonlySet<string> = new Set(['integer', 'number']);

const readPrompt = ({ raw }: NodeModel): string => (raw.prompt ?? '').slice(0, promptCharsMax);

const findQuestionWords = (language: string | null): QuestionWords | null => {
  const name = (language ?? 'en').toLowerCase().split(/[-_]/)[0] ?? '';
  return Object.hasOwn(wordsByLanguage, name) ? wordsByLanguage[name]! : null;
};

export const pastNotPreferred: Rule = ({ flow }) => {
  const words = findQuestionWords(flow.language);
  if (words === null) return [];
  return flow.nodes
    .filter(({ type, cast, raw }) => type === 'collect' && moments.has(cast ?? '') && raw['prefer'] == null)
    .filter((node) => words.past.test(readPrompt(node)))
    .map((node) => atNode(node, 'The prompt asks about the past: set `prefer` to "past"', 'prompt'));
};

export const unitSuggested: Rule = ({ flow }) => {
  const words = findQuestionWords(flow.language);
  if (words === null) return [];
  return flow.nodes
    .filter(({ type, cast, raw }) => type === 'collect' && counts.has(cast ?? '') && raw['unit'] == null)
    .flatMap((node) => {
      const noun = words.counted.exec(readPrompt(node))?.[1];
      if (noun === undefined || noNouns.has(noun.toLowerCase())) return [];
      return [atNode(node, `The prompt counts ${quoted(noun)}: name it in \`unit\``, 'prompt')];
    });
};

/** Casts whose values a caller would correct. Without counts: many are scales. */
const confirmable: ReadonlySet<string> = new Set('date time datetime phone email code number'.split(' '));

/**
 * Steps over edges that the hints of one flow may take: validation takes time in proportion to the
 * flow.
 */
const hintStepsMax = 500_000;

/**
 * A value that may come from a sentence goes to a tool or a webhook, and no message or question
 * repeats it. The text of an end comes too late for a correction.
 */
export const confirmationSuggested: Rule = (index) => {
  const { flow, nodes, reachable, readPath } = index;
  const groupReads = groupBy(index.variables.reads, ({ path }) => path);
  const budget = { steps: hintStepsMax };
  return nodes.flatMap((node, vertex) => {
    const path = node.raw.variable == null ? undefined : readPath(node.raw.variable)?.path;
    const { strict, reading } = readAnswerRules(node.raw, node.cast).rules;
    const mayBeSentence = confirmable.has(node.cast ?? '') && !strict && reading !== 'whole';
    if (node.type !== 'collect' || path === undefined || !mayBeSentence || reachable[vertex] !== 1) return [];
    const compared = (flow.outgoing.get(node.id) ?? []).flatMap(listComparisons);
    if (compared.some(({ variable }) => variable === '_input_reading')) return [];
    const acting = findUnconfirmedUse(index, vertex, groupReads.get(path) ?? [], budget);
    if (acting === null) return [];
    const message = `${quoted(acting.id)} acts on ${quoted(path)}, and the caller never hears what was understood`;
    return [atNode(node, message, 'cast')];
  });
};

/** The tool or webhook that reads an answer which no text repeats before; null = none. */
function findUnconfirmedUse(
  { nodes, walk }: FlowIndex,
  question: number,
  reads: readonly VariableRead[],
  budget: { steps: number },
): NodeModel | null {
  const readers = new Set(reads.flatMap(({ node, edge }) => (edge === null && node !== null ? [node] : [])));
  // A text may repeat a variable that derives from it.
  if (reads.some(({ at }) => /^\/nodes\/\d+\/set\//.test(at))) return null;
  let acting = [...readers].find(({ type }) => type === 'webhook') ?? null;
  if (acting === null && ![...readers].some(({ type }) => type === 'tool')) return null;
  const reached = new Set([question]);
  for (const from of reached)
    for (let at = walk.offsets[from]!; at < walk.offsets[from + 1]!; at++) {
      const to = walk.targets[at]!;
      const { type } = nodes[to]!;
      const isSaid = to !== question && (type === 'message' || type === 'collect') && readers.has(nodes[to]!);
      if (isSaid || budget.steps-- <= 0) return null;
      if (type === 'tool' && readers.has(nodes[to]!)) acting ??= nodes[to]!;
      reached.add(to);
    }
  return acting;
}
