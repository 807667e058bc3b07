// A model as the second reader of an answer (docs/flow-language.md#second-reader). It proposes a
// value and quotes the words for it; this module decides whether that counts. Everything else stays
// the no_match of the cast.
import { casts, choiceValue, isoWithOffset, containsWords, zoneOffset } from '@parley/answers';
import type { Cast, CastRules, CastSpec } from '@parley/answers';
import { isCarriable } from '@parley/answers/readings';
import type { CollectNode } from '../compile/compiled.ts';
import { hasType } from '../read/default-answer.ts';
import { ownMember } from '../read/paths.ts';
import { readingContext } from '../read/reading-context.ts';
import type { Reading } from './collect.ts';
import type { JsonSchema } from './extraction.ts';
import type { TraceProposal } from './trace-step.ts';
import type { Extraction, ExtractQuestion } from './turn.ts';
import { spoken, type Walk } from './walk-state.ts';

export interface SecondReader {
  readonly cast: Cast;
  /** Of the value, without its description. */
  readonly schema: JsonSchema;
}

/** Up to so many choices the provider gets the list; beyond, it may propose any text. */
const choicesMax = 100;

const forms: Readonly<Partial<Record<Cast, string>>> = {
  date: 'as YYYY-MM-DD',
  time: 'as HH:MM, 24 hours',
  datetime: 'in ISO 8601 with its offset',
  phone: 'in E.164',
  url: 'with its scheme',
  code: 'as capitals and digits without blanks',
};

export function compileReader(cast: Cast, { choices }: Pick<CastRules, 'choices'>): SecondReader {
  if (cast === 'integer' || cast === 'number' || cast === 'boolean') return { cast, schema: { type: cast } };
  const values = choices.map((choice) => String(choiceValue(choice)));
  const isListed = cast === 'enum' && values.length > 0 && values.length <= choicesMax;
  return { cast, schema: { type: 'string', ...(isListed ? { enum: [...new Set(values)] } : {}) } };
}

/**
 * Once a turn, after no other model, and never for silence or a text that is too long for an
 * answer.
 */
export const mayReadAgain = (walk: Walk, { reader, taught }: CollectNode, reading: Reading): boolean =>
  reader !== null &&
  (taught === null || walk.flow.classifierOrder !== 'examples_only') &&
  reading.status === 'no_match' &&
  reading.reason !== 'too_long' &&
  // An utterance that answers other questions is no answer to this one.
  (reading.others ?? []).length === 0 &&
  walk.turn.extractorAvailable &&
  walk.proposal === null &&
  walk.questions.length === 0 &&
  walk.asked.length === 0 &&
  spoken(walk) !== null;

export function readerQuestion(walk: Walk, node: CollectNode): ExtractQuestion {
  const { cast, schema } = node.reader!;
  const now = isoWithOffset(walk.turn.nowMs, zoneOffset(ownMember(walk.variables, 'timezone')));
  const description = [
    `The answer to the question, ${forms[cast] ?? 'as a plain value'}. It is now ${now}.`,
    'Null where the utterance denies it, names several, a limit or a question, or where you would have to guess.',
  ].join(' ');
  const words = 'The words of the utterance that state the value, copied exactly.';
  return {
    nodeId: node.id,
    utterance: walk.userInput ?? '',
    prompt: node.prompt?.(walk) ?? null,
    schema: {
      type: 'object',
      properties: { value: { ...schema, description }, words: { type: 'string', description: words } },
    },
  };
}

/** The proposal as a reading, or the original refusal when it does not count. */
export function readProposal(walk: Walk, node: CollectNode, refused: Reading, answer: Extraction): Reading {
  const isAnswered = answer.kind === 'extracted';
  walk.questions.push({ kind: 'extract', nodeId: node.id, outcome: answer.kind });
  const proposal = isAnswered
    ? judge(walk, node, answer.values['value'], answer.values['words'])
    : ({ outcome: 'unavailable', decided_by: null, reason: answer.reason } as const);
  walk.proposal = proposal;
  if (proposal.outcome !== 'captured') return refused;
  walk.decider = 'model';
  return { status: 'captured', value: proposal.value };
}

function judge(walk: Walk, node: CollectNode, proposed: unknown, words: unknown): TraceProposal {
  const not = (outcome: TraceProposal['outcome'], more: Partial<TraceProposal> = {}): TraceProposal => ({
    outcome,
    decided_by: null,
    ...more,
  });
  if (proposed === undefined || proposed === null || typeof words !== 'string')
    return not('nothing_proposed');
  walk.budget.json([proposed, words]);
  if (!containsWords(walk.userInput ?? '', words, walk.budget)) return not('words_not_said');
  const read = readWhole(walk, node, proposed);
  if (!read.ok) return not('not_accepted', { words, reason: read.reason });
  const { value } = read;
  const { nowMs } = walk.turn;
  if (node.accepts !== null && !node.accepts(value, nowMs, walk.variables, walk.budget))
    return not('out_of_range', { words });
  // If the cast can read the quoted words, they are the value.
  const said = readByCast(walk, node, words);
  if (said.ok && JSON.stringify(said.value) !== JSON.stringify(value))
    return not('words_say_otherwise', { words });
  return { outcome: 'captured', decided_by: 'model', value, words };
}

/** A proposal of another type must be a value by the node's own cast, with no word left over. */
function readWhole(walk: Walk, node: CollectNode, proposed: unknown) {
  const { cast } = node.reader!;
  const { captures } = casts[cast] as CastSpec;
  if (typeof proposed !== 'string') {
    const isValue =
      captures !== null &&
      hasType(proposed, cast, captures) &&
      (typeof proposed !== 'number' || isCarriable(proposed));
    return isValue ? { ok: true as const, value: proposed } : { ok: false as const, reason: `not_a_${cast}` };
  }
  const read = readByCast(walk, node, proposed);
  if (!read.ok) return read;
  const isWhole = read.reading === 'whole' && read.discarded === null;
  return isWhole ? read : { ok: false as const, reason: `not_a_${cast}` };
}

const readByCast = (walk: Walk, node: CollectNode, text: string) => node.cast(text, readingContext(walk));
