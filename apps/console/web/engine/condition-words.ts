// Puts conditions into words for designers: "topic is `bill`". Backticks mark values, as in the
// texts of the engine (Words renders them).
import { engineVariableWords, operators, type EdgeModel, type OperatorSpec } from '@parley/flow-engine';
import { shownText, shownValue } from './shown.ts';

const ops: Readonly<Record<string, OperatorSpec>> = operators;
const opBySpelling: ReadonlyMap<string, OperatorSpec> = new Map(
  Object.entries(ops).flatMap(([op, spec]) => [op, ...spec.aliases].map((one) => [one, spec] as const)),
);
const variableWords: Readonly<
  Record<string, { readonly label: string; readonly values?: Readonly<Record<string, string>> }>
> = engineVariableWords;

const TIME = /^(?:\d{4}-\d{2}-\d{2}|\d{2}:\d{2})/;

export interface Comparison {
  readonly variable?: unknown;
  readonly op?: unknown;
  readonly value?: unknown;
}

/** An omitted operator is `eq` with a value and `exists` without. */
export function comparisonWords({ variable, op, value }: Comparison): string {
  const name = typeof variable === 'string' && variable !== '' ? variable : '?';
  const authored =
    typeof op === 'string' && op.trim() !== '' ? op.trim() : value === undefined ? 'exists' : 'eq';
  const known = variableWords[name];
  const spec = opBySpelling.get(authored);
  const phrase = spec === ops['eq'] && typeof value === 'string' ? known?.values?.[value] : undefined;
  if (phrase !== undefined) return phrase;
  const subject = known?.label ?? shownText(name);
  const verb = spec === undefined ? authored : isTime(value) ? (spec.labelOfTimes ?? spec.label) : spec.label;
  const object = spec?.takes === 'none' || value === undefined ? [] : [valueWords(value, spec)];
  return [subject, verb, ...object].join(' ');
}

const isTime = (value: unknown): boolean => typeof value === 'string' && TIME.test(value);

function valueWords(value: unknown, spec: OperatorSpec | undefined): string {
  if (!Array.isArray(value)) return marked(value);
  const each = value.map(marked);
  if (spec?.takes === 'pair') return each.join(' and ');
  return each.length === 0 ? 'nothing' : shownList(each);
}

/** Longer lists are cut. */
const LISTED_MAX = 4;
const shownList = (each: readonly string[]): string =>
  each.length > LISTED_MAX ? `${each.slice(0, LISTED_MAX).join(', ')} …` : each.join(' or ');

function marked(value: unknown): string {
  if (typeof value === 'boolean') return value ? '`yes`' : '`no`';
  if (value === '') return 'an empty text';
  return `\`${shownValue(value).replaceAll('`', '’')}\``;
}

/** The condition of an edge; empty if it has none. */
export function edgeWords({ condition, nl, raw }: Pick<EdgeModel, 'condition' | 'nl' | 'raw'>): string {
  if (condition !== null)
    return comparisonWords({
      variable: condition.variable,
      op: condition.op ?? raw.op,
      value: condition.hasValue ? condition.value : undefined,
    });
  for (const [joint, word] of [
    ['all', ' and '],
    ['any', ' or '],
  ] as const) {
    const members: unknown = raw[joint];
    if (Array.isArray(members))
      return members.map((one) => comparisonWords((one ?? {}) as Comparison)).join(word);
  }
  return nl === null ? '' : `${shownText(nl).replaceAll('`', '’')} (model)`;
}
