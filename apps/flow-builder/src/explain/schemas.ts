// Wire shapes of replay, generated tests, coverage and comparison (docs/why.md).
import { z } from 'zod';
import { freeForm } from '@parley/envelopes';
import { REPLAYED_TURNS_MAX } from '../heavy/explain-jobs.ts';
import { definition, versionNumber } from '../flows/schemas.ts';

/** What is looked at: a stored version, or a definition that was never stored. */
const looked = {
  version: versionNumber.optional().describe('Default: the latest'),
  definition: definition.optional().describe('Instead of a stored version'),
};
const notBoth = {
  path: ['definition'],
  message: 'goes without version',
};
const isOne = (body: { version?: number | undefined; definition?: unknown }) =>
  body.version === undefined || body.definition === undefined;

/** Checked one by one where they are replayed: a thousand of them take longer than others should wait. */
const recordedTurns = z
  .array(freeForm())
  .max(REPLAYED_TURNS_MAX)
  .describe('RecordedTurns (docs/why.md), those of a conversation one after the other');

export const replayRequest = z
  .strictObject({
    ...looked,
    turns: recordedTurns.min(1),
    mode: z
      .enum(['pinned', 'free'])
      .default('pinned')
      .describe('pinned: each turn starts from what was recorded; free: from what the turn before came to'),
    trace: z.boolean().default(false).describe('Explains every turn, not only those that differ'),
  })
  .refine(isOne, notBoth)
  .meta({ id: 'ReplayRequest' });

export type ReplayRequest = z.output<typeof replayRequest>;

const difference = z.strictObject({
  what: z.enum(['messages', 'next_node', 'variables', 'actions', 'status']),
  before: z.unknown(),
  after: z.unknown(),
});

const replayedTurn = z.strictObject({
  recorded: z.strictObject({
    flow_id: z.string(),
    version: z.int(),
    session_id: z.string().nullable(),
    turn: z.int(),
  }),
  same: z.boolean().nullable().describe('null: it stopped before that could be told'),
  exact: z.boolean().describe('false: values were left out of the recording, or replaced'),
  differences: z.array(difference),
  stopped: z.enum(['unknown_answer', 'not_recorded', 'ended', 'not_reached']).optional(),
  question: z
    .strictObject({ kind: z.string(), node_id: z.string(), asks: z.array(z.string()) })
    .optional()
    .describe('What nobody answered when the turn was recorded'),
  trace: z.array(z.looseObject({})).optional(),
});

const ofFlow = { flow_id: z.string(), version: z.int().nullable().describe('null: a definition was sent') };

export const replayReply = z
  .strictObject({
    ...ofFlow,
    mode: z.enum(['pinned', 'free']),
    same: z.int(),
    different: z.int(),
    stopped: z.int(),
    turns: z.array(replayedTurn),
  })
  .meta({ id: 'Replay' });
