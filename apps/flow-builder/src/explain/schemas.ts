// Wire shapes of replay, generated tests, coverage and comparison (docs/why.md).
import { z } from 'zod';
import { freeForm } from '@parley/envelopes';
import { groupsMax } from '@parley/flow-analysis';
import { REPLAYED_TURNS_MAX } from '../heavy/explain-jobs.ts';
import { readingLevels, tokenRules } from '@parley/answers';
import { conversationTest, testRun } from '../conversations/schemas.ts';
import { definition, versionNumber, versionQuery } from '../versions/schemas.ts';
import { UTTERANCE_CHARACTERS_MAX } from '../turns/schemas.ts';

/** Selects a stored version or a definition in the request. */
const looked = {
  version: versionNumber.optional().describe('Default: the latest'),
  definition: definition.optional().describe('Instead of a stored version'),
};
const notBoth = { path: ['definition'], message: 'cannot be used with version' };
const isOne = (body: { version?: number | undefined; definition?: unknown }) =>
  body.version === undefined || body.definition === undefined;

/** The job checks them one by one: checking a thousand here would block other requests. */
export const recordedTurns = z
  .array(freeForm())
  .max(REPLAYED_TURNS_MAX)
  .describe('RecordedTurns (docs/why.md), turns of a conversation in order');

export const replayRequest = z
  .strictObject({
    ...looked,
    turns: recordedTurns.min(1),
    mode: z
      .enum(['pinned', 'free'])
      .default('pinned')
      .describe('pinned: each turn starts from its recorded state; free: from the result of the turn before'),
    trace: z.boolean().default(false).describe('Adds the trace to every turn, not only to those that differ'),
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
  same: z.boolean().nullable().describe('null: the replay stopped before the result'),
  exact: z.boolean().describe('false: the recording omits or replaces values'),
  differences: z.array(difference),
  stopped: z.enum(['unknown_answer', 'not_recorded', 'ended', 'not_reached']).optional(),
  question: z
    .strictObject({ kind: z.string(), node_id: z.string(), asks: z.array(z.string()) })
    .optional()
    .describe('The question without a recorded answer'),
  trace: z.array(z.looseObject({})).optional(),
});

const ofFlow = {
  flow_id: z.string(),
  version: z.int().nullable().describe('null: a definition in the request'),
};

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

export const edgeIndex = z.int().min(0).describe('Position in `definition.edges`');

export const generateRequest = z
  .strictObject({
    ...looked,
    target: z.literal('edges').default('edges').describe('What the tests must cover'),
    save: z
      .boolean()
      .default(false)
      .describe('Stores the tests and replaces those generated before; needs `write`'),
  })
  .refine(isOne, notBoth)
  .refine(({ save, definition }) => !save || definition === undefined, {
    path: ['save'],
    message: 'needs a stored version: omit definition',
  })
  .meta({ id: 'GenerateTestsRequest' });

export type GenerateRequest = z.output<typeof generateRequest>;

const uncoveredWhy = {
  reason: z
    .enum(['proved_dead', 'needs_variable', 'opaque'])
    .describe(
      'proved_dead: no conversation takes it; needs_variable: it needs a variable that no conversation sets; opaque: neither was proved',
    ),
  witness: z.strictObject({
    message: z.string(),
    variables: z.record(z.string(), z.unknown()).optional(),
    edges: z.array(z.int()).optional(),
  }),
};

export const generatedTests = z
  .strictObject({
    ...ofFlow,
    edges: z.strictObject({ all: z.int(), taken: z.int(), proved_dead: z.int() }),
    tests: z
      .array(
        z.strictObject({
          name: z.string(),
          edge_index: z.int().describe('The edge that the test is for'),
          edges: z.array(z.int()).describe('All edges that the conversation takes'),
          test: conversationTest,
        }),
      )
      .describe('Shortest first'),
    tests_omitted: z.int().describe('Number of tests that the response has no room for'),
    uncovered: z.array(z.strictObject({ edge_index: z.int(), ...uncoveredWhy })),
    uncovered_omitted: z.int(),
    saved: z.int().optional().describe('Number of tests that were stored'),
  })
  .meta({ id: 'GeneratedTests' });

export const versionOnlyQuery = z.strictObject({
  version: versionQuery.optional().describe('Default: the latest'),
});

export const coverageRequest = z
  .strictObject({ ...looked, turns: recordedTurns.default([]) })
  .refine(isOne, notBoth)
  .meta({ id: 'CoverageRequest' });

export type CoverageRequest = z.output<typeof coverageRequest>;

const counted = {
  stored: z.int().describe('Stored tests that visit it'),
  generated: z.int().describe('Generated conversations that visit it'),
  recorded: z.int().describe('Recorded turns of this version that visit it'),
};

export const coverage = z
  .strictObject({
    ...ofFlow,
    looked_at: z.strictObject(counted).describe('Number of each'),
    taken: z.strictObject({ edges: z.strictObject(counted), nodes: z.strictObject(counted) }),
    edges: z.array(
      z.strictObject({ edge_index: z.int(), source: z.string(), target: z.string(), ...counted }),
    ),
    nodes: z.array(z.strictObject({ node_id: z.string(), ...counted })),
    unrecognised: z
      .array(
        z.strictObject({
          node_id: z.string(),
          count: z.int().describe('Turns'),
          groups: z
            .array(
              z.strictObject({
                count: z.int().describe('Turns'),
                utterances: z.array(z.string()).describe('Up to 10 that differ, the most frequent first'),
                edge_index: z
                  .int()
                  .nullable()
                  .describe('The natural-language edge that they are most like; null: none'),
              }),
            )
            .max(groupsMax)
            .describe('Like utterances together, the largest group first'),
        }),
      )
      .describe(
        'Nodes with natural-language edges: utterances of recorded turns of this version that took the default edge',
      ),
  })
  .meta({ id: 'Coverage' });

export const reachRequest = z
  .strictObject({
    ...looked,
    node_id: z.string().max(128).optional(),
    edge_index: edgeIndex.optional(),
  })
  .refine(isOne, notBoth)
  .refine(({ node_id, edge_index }) => (node_id === undefined) !== (edge_index === undefined), {
    path: ['node_id'],
    message: 'is needed, or edge_index',
  })
  .meta({ id: 'ReachRequest' });

export type ReachRequest = z.output<typeof reachRequest>;

export const reachReply = z
  .strictObject({
    ...ofFlow,
    reached: z.boolean(),
    edges: z.array(z.int()).optional().describe('Edges that the conversation takes'),
    test: conversationTest.optional().describe('The shortest conversation to the target'),
    reason: uncoveredWhy.reason.optional(),
    witness: uncoveredWhy.witness.optional(),
  })
  .meta({ id: 'Reach' });

export const readRequest = z
  .strictObject({
    ...looked,
    node_id: z.string().max(128).describe('A collect node'),
    utterance: z.string().max(UTTERANCE_CHARACTERS_MAX),
    variables: freeForm().optional().describe('The variables, with `language` and `timezone` if set'),
    language: z.string().max(100).optional().describe('BCP 47; overrides `language` of the variables'),
    timezone: z
      .string()
      .max(100)
      .optional()
      .describe('IANA name or offset; overrides `timezone` of the variables'),
    now: z.number().min(0).optional().describe('Epoch seconds that "tomorrow" is relative to; default: now'),
  })
  .refine(isOne, notBoth)
  .meta({ id: 'ReadRequest' });

export type ReadRequest = z.output<typeof readRequest>;

export const readReply = z
  .strictObject({
    ...ofFlow,
    node_id: z.string(),
    status: z.enum(['captured', 'no_match', 'no_input', 'out_of_range']),
    value: z.unknown().optional().describe('The value of a captured answer'),
    reason: z.string().nullable().describe('The reason without a value'),
    reading: z
      .enum(readingLevels)
      .nullable()
      .describe('whole: every word was used; null: without a value, or for values that are the words'),
    discarded: z.string().nullable().describe('The value that the caller took back'),
    unread: z.array(z.string()).describe('Words that were not used'),
    tokens: z
      .array(
        z.strictObject({
          text: z.string().describe('As the caller said it'),
          start: z.int(),
          end: z.int(),
          rule: z
            .enum(tokenRules)
            .describe('How the token was used; changes_value, second_value and question refuse the answer'),
        }),
      )
      .describe('Offsets count in Unicode normal form C; none beyond 1,000 characters'),
    examples: z
      .strictObject({
        by: z.enum(['example', 'embedded']),
        confidence: z.number(),
        nearest: z.string().describe('The nearest example of the choice'),
        runner_up: z
          .union([z.string(), z.number(), z.boolean()])
          .optional()
          .describe('The choice that the answer was like next'),
      })
      .optional()
      .describe('The examples of a choice decided'),
  })
  .meta({ id: 'AnswerReading' });

export const compareRequest = z
  .strictObject({
    from: versionNumber.optional().describe('Default: the published version, or the one before the latest'),
    to: versionNumber.optional().describe('Default: the latest'),
    definition: definition.optional().describe('Instead of `to`'),
    turns: recordedTurns.default([]).describe('Recorded conversations to replay with both versions'),
  })
  .refine(({ to, definition }) => to === undefined || definition === undefined, {
    path: ['definition'],
    message: 'cannot be used with to',
  })
  .meta({ id: 'CompareRequest' });

export type CompareRequest = z.output<typeof compareRequest>;

const counts = z.strictObject({ generated: z.int(), stored: z.int(), recorded: z.int() });

const behaviour = z
  .strictObject({
    same: z.boolean(),
    compared: counts.describe('Number of conversations with both versions'),
    different: counts.describe('Number of conversations that differ'),
    stopped: z.int().describe('Recorded conversations that reached a question without a recorded answer'),
    complete: z.boolean().describe('false: not all conversations were compared'),
    groups: z
      .array(
        z.strictObject({
          sentence: z.string(),
          node_id: z.string().nullable().describe('The node where they differ, in the older version'),
          edge_before: z.int().nullable(),
          edge_after: z.int().nullable(),
          conversations: counts,
          example: z.strictObject({
            kind: z.enum(['generated', 'stored', 'recorded']),
            name: z.string().nullable().describe('Name of the stored test, or session of the recording'),
            turns: z.array(z.looseObject({})).describe('The last turn differs'),
            differences: z.array(difference),
          }),
        }),
      )
      .describe('Grouped by the turn and edge where conversations differ, the shortest example first'),
    groups_omitted: z.int(),
  })
  .meta({ id: 'BehaviouralDiff' });

const compared = {
  from: z.int(),
  to: z.int().nullable().describe('null: a definition in the request'),
  behaviour,
  diff: z.looseObject({}).describe('The changes: members of FlowDiff'),
};

export const comparison = z.strictObject({ flow_id: z.string(), ...compared }).meta({ id: 'Comparison' });

export const publishPreview = z
  .strictObject({
    flow_id: z.string(),
    version: z.int(),
    published_version: z.int().nullable(),
    valid: z.boolean().describe('false: the version has errors and cannot be published'),
    comparison: z.strictObject(compared).nullable().describe('With the published version; null without one'),
    tests: testRun,
  })
  .meta({ id: 'PublishPreview' });
