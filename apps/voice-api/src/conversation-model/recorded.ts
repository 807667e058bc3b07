// A turn recorded by the flow builder (docs/why.md#a-recorded-turn) and what of it is stored. Only
// members that this service reads are validated: a newer flow builder may send more, and the API
// returns turns as recorded. Pure.
import { z } from 'zod';

export const RECORDINGS = ['full', 'path', 'off'] as const;
export type Recording = (typeof RECORDINGS)[number];

/** Bytes of one turn as JSON: seven members of 16 KiB, and the path. */
const RECORDED_BYTES_MAX = 512 * 1024;
/** Turns of one conversation, and visits of one turn. */
export const RECORDED_TURNS_MAX = 10_000;
/** Nodes and edges of a definition, which has at most 2 MiB. */
const POSITION_MAX = 100_000;

const position = z.int().min(0).max(POSITION_MAX);

export const ANSWER_OUTCOMES = ['understood', 'understood_later', 'asked_again', 'lost'] as const;

/** More than the context windows of one turn hold; the sum of a year fits a number. */
const TOKENS_MAX = 1_000_000_000;
const COST_MAX = 1_000_000;
const tokens = z.int().min(0).max(TOKENS_MAX);

const recordedTurn = z.looseObject({
  usage: z
    .object({
      calls: z.int().min(0).max(RECORDED_TURNS_MAX),
      tokens_in: tokens,
      tokens_out: tokens,
      cost: z.number().min(0).max(COST_MAX).nullable(),
    })
    .optional()
    .catch(undefined),
  answer_outcome: z
    .object({ node: position, outcome: z.enum(ANSWER_OUTCOMES) })
    .optional()
    .catch(undefined), // an outcome that a newer flow builder knows is not counted
  flow_id: z.string().min(1).max(128),
  version: z.int().min(1).max(2_147_483_647),
  turn: z.int().min(1).max(RECORDED_TURNS_MAX),
  status: z.string().max(32),
  path: z
    .array(z.tuple([position, position.nullable()], z.unknown()))
    .min(1)
    .max(RECORDED_TURNS_MAX),
});

export interface ModelFigures {
  readonly model_calls: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  /** Billionths of the currency: whole, so that sums are exact. */
  readonly model_cost_nanos: number;
  /** Calls of unknown cost. */
  readonly unpriced_calls: number;
}

export interface RecordedTurn {
  readonly flowId: string;
  readonly flowVersion: number;
  readonly turn: number;
  readonly status: string;
  /** Indexes in the definition, without duplicates. */
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
  /** The node where the turn stopped. */
  readonly lastNode: number;
  /** Null: no question was answered. */
  readonly answer: { readonly node: number; readonly outcome: (typeof ANSWER_OUTCOMES)[number] } | null;
  /** What its models took: columns of conversation_turns. */
  readonly models: ModelFigures;
  /** As recorded. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly bytes: number;
}

/** Undefined: it cannot be stored. Its event is accepted anyway. */
export function readRecorded(raw: unknown): RecordedTurn | undefined {
  const parsed = recordedTurn.safeParse(raw);
  if (!parsed.success) return undefined;
  const { flow_id: flowId, version: flowVersion, turn, status, path } = parsed.data;
  const data = raw as Readonly<Record<string, unknown>>;
  const bytes = Buffer.byteLength(JSON.stringify(data));
  if (bytes > RECORDED_BYTES_MAX) return undefined;
  return {
    flowId,
    flowVersion,
    turn,
    status,
    nodes: [...new Set(path.map(([node]) => node))],
    edges: [...new Set(path.flatMap(([, edge]) => edge ?? []))],
    lastNode: path.at(-1)![0],
    answer: parsed.data.answer_outcome ?? null,
    models: toModelFigures(parsed.data.usage),
    data,
    bytes,
  };
}

function toModelFigures(usage: z.output<typeof recordedTurn>['usage']): ModelFigures {
  const { calls = 0, tokens_in = 0, tokens_out = 0, cost = null } = usage ?? {};
  return {
    model_calls: calls,
    tokens_in,
    tokens_out,
    model_cost_nanos: Math.round((cost ?? 0) * 1e9),
    unpriced_calls: cost === null ? calls : 0,
  };
}

/** Members that describe the path, without any text. */
const PATH_MEMBERS = [
  'flow_id',
  'version',
  'turn',
  'current_node',
  'next_node',
  'status',
  'now',
  'path',
] as const;
/** Null replaces members that are not stored, as in the flow builder. */
const OMITTED_MEMBERS = {
  input: null,
  variables_in: null,
  variables_set: null,
  variables_cleared: null,
  answers: null,
  messages: null,
  actions: null,
  truncated: true,
} as const;

/** Applies the bot's `recording`: returns what to store of a turn; null: nothing. */
export function selectStored(
  { data }: RecordedTurn,
  recording: Recording,
): Readonly<Record<string, unknown>> | null {
  if (recording === 'full') return data;
  if (recording === 'off') return null;
  const { answer_outcome, usage } = data;
  return {
    ...Object.fromEntries(PATH_MEMBERS.map((member) => [member, data[member] ?? null])),
    ...OMITTED_MEMBERS,
    ...(answer_outcome === undefined ? {} : { answer_outcome }),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** Characters of an answer that are counted as the same words. */
const REFUSED_CHARACTERS_MAX = 200;

/**
 * Returns the words that a question did not understand, in lower case; null: there are none, or the
 * flow redacts a part of them.
 */
export function selectRefusedWords({ answer, data }: RecordedTurn, recording: Recording): string | null {
  if (recording !== 'full' || answer === null || answer.outcome.startsWith('understood')) return null;
  const said = (data['input'] as { readonly user_input?: unknown } | null)?.user_input;
  if (typeof said !== 'string' || (data['redacted'] !== undefined && said.includes('[redacted ')))
    return null;
  // Postgres stores no NUL and no half of a character that was cut.
  const words = said
    .slice(0, REFUSED_CHARACTERS_MAX)
    .toLowerCase()
    .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim();
  return words === '' ? null : words;
}
