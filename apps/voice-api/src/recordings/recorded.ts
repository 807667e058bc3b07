// A turn of a flow as the flow builder recorded it (docs/why.md#a-recorded-turn), and what of it is kept. Pure. Only what this service
// itself reads is looked at: a newer flow builder may say more, and what it said is given out again as it came.
import { z } from 'zod';

export const RECORDINGS = ['full', 'path', 'off'] as const;
export type Recording = (typeof RECORDINGS)[number];

/** Bytes of one turn as JSON: seven members of 16 KiB, and the path. */
const RECORDED_BYTES_MAX = 512 * 1024;
/** Turns of one conversation, and visits of one turn. */
export const RECORDED_TURNS_MAX = 10_000;
/** Nodes and edges of a definition: it has 2 MiB. */
const POSITION_MAX = 100_000;

const position = z.int().min(0).max(POSITION_MAX);

const recordedTurn = z.looseObject({
  flow_id: z.string().min(1).max(128),
  version: z.int().min(1).max(2_147_483_647),
  turn: z.int().min(1).max(RECORDED_TURNS_MAX),
  status: z.string().max(32),
  path: z
    .array(z.tuple([position, position.nullable()], z.unknown()))
    .min(1)
    .max(RECORDED_TURNS_MAX),
});

export interface Recorded {
  readonly flowId: string;
  readonly flowVersion: number;
  readonly turn: number;
  readonly status: string;
  /** Positions in the definition, each once. */
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
  /** Where it stopped. */
  readonly lastNode: number;
  /** As it came. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly bytes: number;
}

/** undefined: it cannot be kept. The event that brought it is taken in all the same. */
export function readRecorded(raw: unknown): Recorded | undefined {
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
    data,
    bytes,
  };
}

/** What says the way and nothing of what was said. */
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
/** Null in the place of what is not kept, as the flow builder spells it. */
const NOT_KEPT = {
  input: null,
  variables_in: null,
  variables_set: null,
  variables_cleared: null,
  answers: null,
  messages: null,
  actions: null,
  truncated: true,
} as const;

/** What `recording` of the bot lets be kept of a turn; null: nothing. */
export function keptOf({ data }: Recorded, recording: Recording): Readonly<Record<string, unknown>> | null {
  if (recording === 'full') return data;
  if (recording === 'off') return null;
  return { ...Object.fromEntries(PATH_MEMBERS.map((member) => [member, data[member] ?? null])), ...NOT_KEPT };
}
