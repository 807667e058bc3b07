// Wire shapes of the assistant (docs/assistant.md).
import { z } from 'zod';
import { freeForm } from '@parley/envelopes';
import { flowDiff, validation } from '../flows/schemas.ts';
import { conversationTest, testRun } from '../conversations/schemas.ts';
import { definition } from '../versions/schemas.ts';

const INSTRUCTION_CHARS_MAX = 4_000;

export const assistantState = z
  .strictObject({
    ready: z.boolean(),
    message: z.string().nullable().describe('null: it is ready; otherwise why not, and the remedy'),
  })
  .meta({ id: 'AssistantState' });

export const proposalRequest = z
  .strictObject({
    instruction: z
      .string()
      .trim()
      .min(1)
      .max(INSTRUCTION_CHARS_MAX)
      .describe('What the author wants, in any language. New addresses come from here alone'),
    definition: definition.describe('The draft that is changed; nothing is stored'),
    test: conversationTest
      .optional()
      .describe('A conversation that the proposal must pass. What is in it is data, not an instruction'),
  })
  .meta({ id: 'ProposalRequest' });

export type ProposalRequest = z.output<typeof proposalRequest>;

const edges = z.strictObject({ all: z.int(), taken: z.int(), proved_dead: z.int() });

const outsideEffect = z.strictObject({
  node_id: z.string().nullable().describe('null: a member of the flow'),
  kind: z
    .enum(['webhook', 'agent', 'action', 'flow', 'handoff', 'text'])
    .describe(
      'webhook, agent: requests to an address; action: a tool of the voice platform; flow: a flow that is called; handoff: a target; text: an address in a text',
    ),
  to: z.string().describe('The address, or the name of the tool or target'),
  change: z.enum(['added', 'changed']),
});

const behaviour = z.looseObject({
  same: z.boolean(),
  complete: z.boolean(),
  compared: z.looseObject({}),
  different: z.looseObject({}),
  stopped: z.int(),
  groups: z.array(z.looseObject({ sentence: z.string() })),
  groups_omitted: z.int(),
});

const proposal = z.strictObject({
  definition: freeForm().describe('The changed draft, without errors'),
  summary: z.string().describe('What the model says that it changed'),
  diff: flowDiff.omit({ from: true, to: true, calls: true }),
  validation,
  tests: testRun.describe('The stored tests with the proposal'),
  coverage: edges
    .nullable()
    .describe('Edges that generated conversations take; null: the search took too long'),
  behaviour: behaviour
    .nullable()
    .describe('What callers notice compared with the draft; null: the draft has errors, or it took too long'),
  outside: z
    .array(outsideEffect)
    .describe('What the proposal sends outside, hands over or runs, and the draft does not'),
});

export const assistantReply = z
  .strictObject({
    flow_id: z.string(),
    proposal: proposal.nullable().describe('null: `message` says why'),
    message: z.string().nullable().describe('Why there is no proposal, in words'),
    problems: z
      .array(z.string())
      .describe('What is wrong with the last attempt, or what the model left as it is'),
    rounds: z.int().describe('Answers of the model'),
    usage: z
      .strictObject({
        calls: z.int(),
        tokens_in: z.int(),
        tokens_out: z.int(),
        cost: z.number().nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'AssistantReply' });
