// An answer of a model in a recorded turn (docs/why.md#a-recorded-turn), with what it took. A
// replay gives it again, figures included, and calls no model.
import { freeForm } from '@parley/envelopes';
import { z } from 'zod';
import { limits } from '@parley/flow-engine/define/limits';
import type { AgentOutcome, Classification, Extraction } from '@parley/flow-engine/walk/turn';

export const nodeId = z.string().max(limits.idCharsMax);
export const position = z.int().min(0);
const ms = z.number().min(0).describe('How long the answer took');
/** More than the node visits that a turn may have. */
export const perTurnMax = 10_000;

/** More tokens than any context windows of one turn hold together. */
const tokensMax = 1_000_000_000_000;
const tokens = z.int().min(0).max(tokensMax);

export const modelUsage = z
  .strictObject({
    calls: z.int().min(0).max(perTurnMax).describe('Answers of the provider'),
    tokens_in: tokens.describe('Of prompts, as the provider counted them'),
    tokens_out: tokens.describe('Of completions'),
    cost: z
      .number()
      .min(0)
      .nullable()
      .describe('In the currency of the prices; null: a price or a count is missing'),
  })
  .meta({ id: 'ModelUsage' });
export type ModelUsage = z.output<typeof modelUsage>;
export const addModelUsage = (one: ModelUsage, other: ModelUsage): ModelUsage => ({
  calls: one.calls + other.calls,
  tokens_in: one.tokens_in + other.tokens_in,
  tokens_out: one.tokens_out + other.tokens_out,
  cost: one.cost === null || other.cost === null ? null : one.cost + other.cost,
});

/** Absent: no provider was called. */
const usage = modelUsage.optional();

const classification: z.ZodType<Classification> = z.union([
  z.strictObject({ kind: z.literal('chosen'), index: z.number(), confidence: z.number() }),
  z.strictObject({ kind: z.literal('none') }),
  z.strictObject({
    kind: z.literal('unavailable'),
    reason: z.enum(['timeout', 'error', 'budget_spent']),
    failure: z.string().max(64).optional(),
  }),
]);
const extraction: z.ZodType<Extraction> = z.union([
  z.strictObject({ kind: z.literal('extracted'), values: freeForm() }),
  z.strictObject({ kind: z.literal('unavailable'), reason: z.string().max(limits.textCharsMax) }),
]);
const toolCall = z.strictObject({
  tool: z.string().max(limits.textCharsMax),
  args: z.unknown(),
  ok: z.boolean(),
  result: z.unknown(),
  ms,
});
const agentOutcome = z.strictObject({
  status: z.enum(['goal_reached', 'replied', 'max_iterations', 'budget_exhausted', 'error']),
  answer: z.string().max(limits.renderedCharsMax).nullable(),
  iterations: position,
  tool_calls: z.array(toolCall).max(perTurnMax),
  failure: z.string().max(64).optional(),
  choice: z.strictObject({ index: z.number(), confidence: z.number() }).nullish(),
  values: freeForm().optional(),
});

/** An answer to one question of the turn, in the order of asking. */
export const recordedAnswer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('classify'), node_id: nodeId, answer: classification, ms, usage }),
  z.strictObject({ kind: z.literal('extract'), node_id: nodeId, answer: extraction, ms, usage }),
  z.strictObject({ kind: z.literal('run_agent'), node_id: nodeId, answer: agentOutcome, ms, usage }),
]);

export type RecordedAnswer = z.output<typeof recordedAnswer>;

/** The agent's outcome in the form of recordings and variables. */
export function recordOutcome({ status, answer, iterations, toolCalls, ...more }: AgentOutcome) {
  const { failure, choice, values } = more;
  return {
    status,
    answer,
    iterations,
    tool_calls: [...toolCalls],
    ...(failure && { failure }),
    ...(choice === undefined ? {} : { choice }),
    ...(values === undefined ? {} : { values: { ...values } }),
  };
}
