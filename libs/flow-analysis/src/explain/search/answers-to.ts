// Utterances for a collect node, one for each possible outcome: every value that some condition
// distinguishes, and every failure that leads on.
import type { CollectNode, CompiledFlow } from '@parley/flow-engine/compile/compiled';
import { readAnswerRules } from '@parley/flow-engine/define/answer-rules';
import { choiceValue, type Cast } from '@parley/answers';
import type { NodeModel } from '@parley/flow-engine/define/model';
import { toJson } from '@parley/answers/readings';
import type { Bag } from '@parley/flow-engine/read/paths';
import { uncounted } from '@parley/flow-engine/read/turn-budget';
import type { ScriptTurn } from '../script.ts';
import { listExtractions } from './extractions.ts';
import { makeMatchingText } from './sample-text.ts';
import { listNeighbours, makeRootHolding, type Variables } from './variables.ts';

/** Texts that are tried at one node, and answers with an outcome of their own. */
const textsMax = 400;
const answersMax = 40;
/**
 * Texts that are tried for each other question, and questions that a conversation skips at its
 * start.
 */
const othersTextsMax = 40;
const skippedMax = 20;

/** Usual utterances, by cast. */
const usual: Readonly<Record<Cast, readonly string[]>> = {
  string: ['hello', 'hello there, good morning'],
  integer: ['1', '2', '10', '100'],
  number: ['1', '2', '10', '100'],
  boolean: ['yes', 'no', 'sí', 'ja', 'nein', 'nee', 'oui', 'non', 'sì', 'sim', 'não'],
  date: ['2026-12-24', '2026-11-23', '2026-12-26', '2020-06-15', '1990-06-15'],
  time: ['14:30', '09:00', '18:00'],
  datetime: ['2026-12-24T14:30', '2026-11-23 14:30', '2020-06-15T14:30'],
  email: ['ada@example.com'],
  phone: ['+14155552671', '+442079460958', '030 901820', '(415) 555-2671'],
  url: ['https://example.com/'],
  code: ['AB1234', 'ABC'],
  json: ['{}', '[]', '"hello"', '1', 'true'],
  list: ['one', 'one, two', 'one, two, three, four, five'],
  enum: [],
};
/** No question with a typed answer accepts these. */
const nonsense = ['qzx', '???', 'qzx qzx 7 9'];

export interface AnswerTo {
  readonly turn: ScriptTurn;
  readonly captures: boolean;
}

/** In a fixed order, answers before failures. */
export function listAnswers(
  node: CollectNode,
  model: NodeModel,
  variables: Variables,
  nowMs: number,
): AnswerTo[] {
  const found = new Map<string, AnswerTo>();
  const mayFail = countsFailures(node, variables);
  for (const text of textsFor(node, model, variables)) {
    const read = node.cast(text, { nowMs });
    if (text.trim() === '' && !node.allowEmpty) continue;
    const accepted = read.ok && (node.accepts === null || node.accepts(read.value, nowMs, {}, uncounted));
    if (!accepted && !mayFail) continue;
    const said = variables.mark('user_input', text);
    const what = accepted
      ? `captured ${computeMark(node, read.value, variables)} ${variables.mark('_input_reading', read.reading)}`
      : read.ok
        ? 'out_of_range'
        : 'no_match';
    const key = `${what} ${said}`;
    if (!found.has(key)) found.set(key, { turn: { user_input: text }, captures: accepted });
    if (found.size >= answersMax) break;
  }
  if (mayFail) found.set('no_input', { turn: { user_input: null }, captures: false });
  const answers = [...found.values()];
  const captured = answers.filter(({ captures }) => captures);
  const [first] = captured;
  const extracted =
    first === undefined
      ? []
      : listExtractions(node.extraction, variables).map((extraction) => ({
          turn: { ...first.turn, extraction },
          captures: true,
        }));
  const together = listAnswersToOthers(node, first?.turn.user_input ?? null, variables, nowMs);
  return [...captured, ...extracted, ...together, ...answers.filter(({ captures }) => !captures)];
}

/**
 * Utterances that fill the variables of other questions: each alone, and after an answer to this
 * one.
 */
function listAnswersToOthers(
  { others, cast }: CollectNode,
  own: string | null,
  variables: Variables,
  nowMs: number,
): AnswerTo[] {
  const found = new Map<string, AnswerTo>();
  for (const [at, question] of (others?.questions ?? []).entries()) {
    const texts = textsFor(question, others!.models[at]!, variables).slice(0, othersTextsMax);
    for (const text of texts.flatMap((one) => (own === null ? [one] : [one, `${own}, ${one}`]))) {
      const outcome = cast(text, { nowMs });
      const read = others!.read(text, outcome, { nowMs }, (index, value) => {
        const { accepts = null } = others!.questions[index] ?? {};
        return accepts === null || accepts(value, nowMs, {}, uncounted);
      });
      const value = read.others.find(({ index }) => index === at)?.value;
      const key = `${at} ${outcome.ok} ${value === undefined ? '' : computeMark(question, value, variables)}`;
      if (value !== undefined && found.size < answersMax && !found.has(key))
        found.set(key, { turn: { user_input: text }, captures: outcome.ok });
    }
  }
  return [...found.values()];
}

/** Initial variables that skip questions: all of them, and each alone. */
export function listBagsThatSkip({ nodes, model }: CompiledFlow, variables: Variables, nowMs: number): Bag[] {
  const bags: Bag[] = [];
  const all: Record<string, unknown> = {};
  for (const node of nodes.values()) {
    if (node.type !== 'collect' || node.skips === null || bags.length >= skippedMax) continue;
    for (const text of textsFor(node, model.nodesById.get(node.id)!, variables)) {
      const read = text.trim() === '' ? null : node.cast(text, { nowMs });
      const isHeld = read?.ok && (node.accepts === null || node.accepts(read.value, nowMs, {}, uncounted));
      if (!isHeld) continue;
      const bag: Record<string, unknown> = {};
      for (const into of [bag, all]) node.write?.(into, read.value);
      bags.push(bag);
      break;
    }
  }
  return bags.length > 1 ? [all, ...bags] : bags;
}

/** If attempts have no limit and no flow reads their number, a failure leads nowhere. */
export const countsFailures = ({ attemptsMax }: CollectNode, variables: Variables): boolean =>
  attemptsMax !== null || variables.valuesOf('_attempts').length > 0;

function computeMark({ variable, write }: CollectNode, value: unknown, variables: Variables): string {
  const held = write === null || variable === null ? null : makeRootHolding(variable, value);
  return held === null ? '' : variables.mark(held.root, held.value);
}

const sentencesMax = 20;

function textsFor(node: CollectNode, { raw, cast }: NodeModel, variables: Variables): string[] {
  const { min, max, pattern } = readAnswerRules(raw, cast).rules;
  const bounds = [min, max].filter((bound) => bound !== null);
  const sample = pattern === null ? null : makeMatchingText(pattern);
  const values = [
    ...(node.variable === null ? [] : variables.valuesOf(node.variable)),
    ...(cast === 'string' || cast === 'list'
      ? bounds.map((length) => 'a'.repeat(Math.min(Number(length), 200)))
      : bounds.flatMap((bound) => [bound, ...listNeighbours(bound)])),
    ...(raw.choices ?? []).map(choiceValue),
    ...(sample === null ? [] : [sample]),
    ...(cast === null ? [] : usual[cast]),
    ...variables.valuesOf('user_input'),
    ...nonsense,
  ];
  const texts = values.flatMap((value) => spell(value, cast));
  // If the flow reads how an answer was read, each value is also said among unknown words.
  const tellsReading = variables.valuesOf('_input_reading').length > 0;
  const sentences = tellsReading ? texts.slice(0, sentencesMax).map((text) => `xyzzy, ${text}`) : [];
  return [...new Set([...texts, ...sentences])].slice(0, textsMax);
}

/** Spellings of a value; the caller checks that the cast reads them back. */
export function spell(value: unknown, cast: Cast | null): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return Number.isFinite(value) ? [String(value)] : [];
  if (typeof value === 'boolean')
    return value ? ['yes', 'true', ...usual.boolean] : ['no', 'false', ...usual.boolean];
  if (cast === 'list' && Array.isArray(value)) return [value.map(String).join(', ')];
  return value === undefined || value === null ? [] : [toJson(value)];
}
