// Wire shapes of teaching (docs/why.md#teach) and of what examples are worth.
import { z } from 'zod';
import { conversationTest } from '../conversations/schemas.ts';
import { edgeIndex, recordedTurns } from './schemas.ts';

const way = z.strictObject({ edge_index: edgeIndex.nullable(), target: z.string().nullable() });

export const teachRequest = z
  .strictObject({
    session_id: z.string().max(255).describe('The conversation of the turn that teaches'),
    turn: z.int().min(1).describe('Its number'),
    edge: edgeIndex
      .optional()
      .describe('The natural-language edge that the utterance belongs to: position in the latest version'),
    none: z
      .literal(true)
      .optional()
      .describe('Instead of `edge`: the utterance does not belong to the branch that the turn took'),
    turns: recordedTurns
      .min(1)
      .describe('The latest recorded turns of the flow, with the turn that teaches, from the voice API'),
    dry_run: z.boolean().default(false).describe('Stores nothing'),
  })
  .refine(({ edge, none }) => (edge === undefined) !== (none === undefined), {
    path: ['edge'],
    message: 'is needed, or `none`',
  })
  .meta({ id: 'TeachRequest' });

export type TeachRequest = z.output<typeof teachRequest>;

export const teachReply = z
  .strictObject({
    flow_id: z.string(),
    learned_from: z.int().describe('The version that was the latest'),
    version: z
      .int()
      .nullable()
      .describe(
        'The new version, which is not published; the latest one if it has the example; null: dry run',
      ),
    valid: z.boolean().describe('false: the version has errors and cannot be published'),
    edge_index: edgeIndex,
    node_id: z.string(),
    member: z.enum(['examples', 'counter_examples']),
    utterance: z.string(),
    test: z.strictObject({ name: z.string(), test: conversationTest }),
    looked_at: z.int().describe('Number of turns'),
    same: z.int(),
    unknown: z.int().describe('Turns that cannot be replayed, before or after'),
    changes: z
      .array(
        z.strictObject({
          session_id: z.string().nullable(),
          turn: z.int(),
          user_input: z.string().nullable().describe('Its first 300 characters'),
          node_id: z.string().describe('Where the ways part'),
          from: way.nullable().describe('null: the version asks a model, and the recording has no answer'),
          to: way.nullable(),
          exact: z.boolean().describe('false: the recording omits or replaces values'),
        }),
      )
      .describe('Turns that would go another way, in the order of the request'),
  })
  .meta({ id: 'Teaching' });

const share = z.number().min(0).max(1);

export const classifierReport = z
  .strictObject({
    flow_id: z.string(),
    version: z.int().nullable(),
    classifier_version: z.int(),
    nodes: z
      .array(
        z.strictObject({
          node_id: z
            .string()
            .nullable()
            .describe('null: the commands of the flow, at questions without branches of their own'),
          branches: z.array(
            z.strictObject({
              edge_index: z.int(),
              target: z.string(),
              label: z.string().nullable(),
              nl: z.string(),
              examples: z.int().describe('Examples that differ'),
              precision: share
                .nullable()
                .describe(
                  'Of the examples that go to it, the share that belongs to it; null: none goes to it',
                ),
              recall: share.describe('Of its examples, the share that goes to it'),
            }),
          ),
          confusion: z
            .array(z.array(z.int()))
            .describe(
              'A row for each branch: how many of its examples go to each branch, and last, how many the classifier leaves to the model or the default edge',
            ),
        }),
      )
      .describe('Nodes whose branches have examples. Each example is decided without itself'),
    nodes_omitted: z.int().describe('Nodes beyond 2,000 examples, which are not measured'),
  })
  .meta({ id: 'ClassifierReport' });
