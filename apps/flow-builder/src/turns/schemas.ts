// Wire shapes of turns, in and out (docs/flow-language.md#execute).
import { z } from 'zod';
import { modelUsage } from '@parley/flow-analysis';
import type { WireAnswers } from '@parley/flow-engine';
import { anyObject, freeForm, isPathId, pathId } from '@parley/envelopes';
import { versionNumber, versionQuery } from '../versions/schemas.ts';

export const SESSION_CHARACTERS_MAX = 255;
export const UTTERANCE_CHARACTERS_MAX = 100_000;

const CALL_ID_CHARACTERS_MAX = 64;
const CODE_CHARACTERS_MAX = 128;
const MESSAGE_CHARACTERS_MAX = 2_000;

const callId = z.string().min(1).max(CALL_ID_CHARACTERS_MAX).describe('`call_id` of the action');

const outcome = {
  result: z.unknown().optional().describe('Any JSON; its size counts with `variables`'),
  error: z
    .strictObject({
      code: z.string().min(1).max(CODE_CHARACTERS_MAX),
      message: z.string().max(MESSAGE_CHARACTERS_MAX),
    })
    .optional()
    .describe('Instead of `result`'),
  pending: z
    .literal(true)
    .optional()
    .describe('Instead of `result`: the tool is still running, and the flow waits on'),
};
type Outcome = {
  readonly result?: unknown;
  readonly error?: { code: string; message: string } | undefined;
  readonly pending?: true | undefined;
};

const either = [
  ({ result, error, pending }: Outcome) =>
    [result, error, pending].filter((given) => given !== undefined).length === 1,
  'must have either result, error or pending',
] as const;

export const toolResult = z
  .strictObject({ call_id: callId, ...outcome })
  .refine(...either)
  .meta({ id: 'ToolResult' });

/** In a simulation the open call is known. */
export const playedToolResult = z
  .strictObject({
    call_id: callId.optional().describe('Default: the open call'),
    ...outcome,
  })
  .refine(...either)
  .meta({ id: 'PlayedToolResult' });

export const handoffResult = z
  .strictObject({
    status: z.enum(['failed', 'returned']),
    reason: z.string().max(MESSAGE_CHARACTERS_MAX).nullish(),
  })
  .meta({ id: 'HandoffResult' });

/** A turn resumes at one node, which waits for one thing. */
export const oneAnswer: [(brought: WireAnswers) => boolean, { path: string[]; message: string }] = [
  ({ tool_result, handoff_result }) => tool_result == null || handoff_result == null,
  { path: ['handoff_result'], message: 'cannot be used with tool_result' },
];

export const executeRequest = z
  .strictObject({
    session_id: z
      .string()
      .max(SESSION_CHARACTERS_MAX)
      .nullish()
      .describe('Correlation label; no session is stored'),
    current_node: z
      .string()
      .max(128)
      .nullish()
      .describe('`next_node` of the turn before; null: the start node'),
    user_input: z.string().max(UTTERANCE_CHARACTERS_MAX).nullish(),
    tool_result: toolResult
      .nullish()
      .describe('Result of the tool call, or words of the agent, that `current_node` waits for'),
    handoff_result: handoffResult.nullish().describe('Outcome of the handoff at `current_node`'),
    variables: freeForm().nullish().describe('The variables; send them back with every turn'),
    version: versionNumber.nullish().describe('Default: the published version'),
    bot_id: pathId(128)
      .nullish()
      .describe('Reports the turn to the voice API as part of the conversation `session_id` of this bot'),
  })
  .refine((body) => body.bot_id == null || isPathId(body.session_id ?? ''), {
    path: ['session_id'],
    message: 'is needed with bot_id, as a conversation id: not dots alone, and none of / \\ ? # %',
  })
  .refine(...oneAnswer)
  .meta({ id: 'ExecuteRequest' });

export const executeQuery = z.strictObject({
  version: versionQuery.optional(),
  trace: z
    .enum(['true', 'false'])
    .optional()
    .describe('Adds `trace`: every step, the edges tried, and what decided'),
});

export const turnStatus = z.enum(['waiting', 'waiting_for_tool', 'completed', 'handed_off', 'no_route']);

/** The result of a turn, as execute and simulate return it. */
export const turnMembers = {
  status: turnStatus,
  next_node: z.string().nullable(),
  outputs: z.array(
    z.strictObject({
      type: z.enum(['message', 'prompt', 'reprompt']),
      node_id: z.string(),
      text: z.string(),
    }),
  ),
  actions: z.array(z.looseObject({ type: z.enum(['tool', 'autonomous', 'handoff']), node_id: z.string() })),
  variables: anyObject,
  input: z.looseObject({}).nullable().describe('How the utterance was read'),
  steps: z.int(),
  trace: z.array(z.looseObject({})).optional(),
};

export const turnResult = z
  .strictObject({
    flow_id: z.string(),
    version: z.int(),
    published: z.boolean().optional().describe('false: a draft answered, because nothing is published'),
    session_id: z.string().nullable(),
    usage: modelUsage.optional().describe('With a trace: what the models of the turn took'),
    ...turnMembers,
  })
  .meta({ id: 'TurnResult' });

export type ExecuteRequest = z.output<typeof executeRequest>;
