// What a caller brings to a node that waits for it (docs/flow-language.md#waits), on the wire and as the engine takes it.
import { z } from 'zod';
import type { Brought } from '@parley/flow-engine';

const CALL_ID_CHARACTERS_MAX = 64;
const CODE_CHARACTERS_MAX = 128;
const MESSAGE_CHARACTERS_MAX = 2_000;

const callId = z.string().min(1).max(CALL_ID_CHARACTERS_MAX).describe('Of the action that was answered with');

const outcome = {
  result: z.unknown().optional().describe('Any JSON; it counts with `variables`'),
  error: z
    .strictObject({
      code: z.string().min(1).max(CODE_CHARACTERS_MAX),
      message: z.string().max(MESSAGE_CHARACTERS_MAX),
    })
    .optional()
    .describe('In place of `result`'),
};
type Outcome = { readonly result?: unknown; readonly error?: { code: string; message: string } | undefined };

const either = [
  ({ result, error }: Outcome) => (result === undefined) !== (error === undefined),
  'must have either result or error',
] as const;

export const toolResult = z
  .strictObject({ call_id: callId, ...outcome })
  .refine(...either)
  .meta({ id: 'ToolResult' });

/** Of a conversation that is played: whose call it answers goes without saying. */
export const playedToolResult = z
  .strictObject({
    call_id: callId.optional().describe('Default: of the call that is waited for'),
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

/** A turn goes on at one node, which waits for one thing. */
export const oneAnswer: [(brought: Brought) => boolean, { path: string[]; message: string }] = [
  ({ tool_result, handoff_result }) => tool_result == null || handoff_result == null,
  { path: ['handoff_result'], message: 'cannot stand beside tool_result' },
];
