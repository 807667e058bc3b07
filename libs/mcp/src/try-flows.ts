// Tools that say what a flow does, and what a change of it would do; none of them calls a model, a tool or a webhook (docs/mcp.md#tools).
import { z } from 'zod';
import { definition, flowId, items, text, tool, variables, version } from './tool.ts';

const lookedAt = {
  flow_id: flowId,
  version: version.describe('Default: the latest').optional(),
  definition: definition.describe('In place of a stored version').optional(),
};
const between = {
  flow_id: flowId,
  from: version.describe('Default: the published version, else the one before').optional(),
  to: version.describe('Default: the latest').optional(),
  definition: definition.describe('In place of `to`').optional(),
};
/** What was sent: the stored versions that are compared, or a definition. */
const whichVersion = z.int().nullable().describe('null: the definition that was sent');

const turn = z.looseObject({
  user_input: z.string().max(10_000).nullable().describe('Absent or null: nobody says anything').optional(),
  tool_result: z
    .looseObject({})
    .nullable()
    .describe('The answer to a tool that the flow waits for')
    .optional(),
});

type Listed = { readonly passed: boolean };

export const tryFlows = [
  tool({
    name: 'diff',
    title: 'What was changed',
    description:
      'What a version, or a definition that is not saved yet, changes against another version: sentences and an RFC 6902 patch.',
    effect: 'reads',
    input: between,
    output: {
      from: z.int(),
      to: whichVersion,
      identical: z.boolean(),
      summary: z.array(z.string()),
      patch: items,
    },
    run: async ({ flows }, { flow_id, from, to, definition }, signal) => {
      const since = from === undefined ? {} : { from };
      const found = definition
        ? await flows.diffDefinition({ flow_id, body: { definition: definition, ...since } }, { signal })
        : await flows.diffFlow({ flow_id, ...since, ...(to === undefined ? {} : { to }) }, { signal });
      const { identical, summary, patch } = found;
      return { from: found.from, to: found.to, identical, summary, patch };
    },
  }),
  tool({
    name: 'compare',
    title: 'What callers would notice',
    description:
      'What two versions do differently, as callers notice it: conversations that take every edge and stored tests are held with both, and where they part is said.',
    effect: 'reads',
    input: between,
    output: {
      from: z.int(),
      to: whichVersion,
      same: z.boolean(),
      complete: z.boolean().describe('false: there were more conversations than could be held'),
      compared: z.looseObject({}),
      different: z.looseObject({}),
      groups: z.array(z.looseObject({ sentence: z.string() })),
    },
    run: async ({ flows }, { flow_id, ...body }, signal) => {
      const { from, to, behaviour } = await flows.compareFlows({ flow_id, body: body }, { signal });
      const { same, complete, compared, different, groups } = behaviour;
      return { from, to, same, complete, compared, different, groups };
    },
  }),
  tool({
    name: 'simulate',
    title: 'Hold a conversation',
    description:
      'Holds a whole conversation without side effects and says what the flow answers in each turn. Give what is said as `utterances`, or as `turns` where the flow waits for results of tools.',
    effect: 'reads',
    input: {
      ...lookedAt,
      utterances: z
        .array(z.string().max(10_000).nullable())
        .max(100)
        .describe('One a turn; begin with null where the flow speaks first')
        .optional(),
      turns: z.array(turn).max(100).optional(),
      variables: variables.optional(),
      trace: z.boolean().describe('Also which edges were tried, and why').default(false),
    },
    output: { flow_id: z.string(), version: whichVersion, turns: items },
    run: async ({ flows }, { flow_id, trace, ...body }, signal) => {
      const held = await flows.simulateFlow(
        { flow_id, trace: trace ? 'true' : 'false', body: body },
        { signal },
      );
      return { flow_id, version: held.version, turns: held.turns };
    },
  }),
  tool({
    name: 'reach',
    title: 'How to get somewhere',
    description:
      'The shortest conversation that gets to a node or an edge, as a test that can be stored, or why there is none.',
    effect: 'reads',
    input: {
      ...lookedAt,
      node_id: text().describe('Either this').optional(),
      edge_index: z.int().min(0).describe('Or this: the place of the edge among `edges`').optional(),
    },
    output: {
      reached: z.boolean(),
      edges: z.array(z.int()).optional(),
      test: z.looseObject({}).optional(),
      reason: z.string().optional(),
    },
    run: async ({ flows }, { flow_id, ...body }, signal) => ({
      ...(await flows.reachPlace({ flow_id, body: body }, { signal })),
    }),
  }),
  tool({
    name: 'read_answer',
    title: 'How an answer is read',
    description:
      'What a question would make of an utterance: its value or why there is none, and what became of each word. No conversation is held.',
    effect: 'reads',
    input: {
      ...lookedAt,
      node_id: text().describe('A collect node'),
      utterance: z.string().max(10_000),
      variables: variables.describe('`language` and `timezone` are read').optional(),
    },
    output: {
      status: z.string(),
      value: z.unknown().optional(),
      reason: z.string().nullable(),
      reading: z.string().nullable(),
      discarded: z.string().nullable(),
      unread: z.array(z.string()),
      tokens: items,
    },
    run: async ({ flows }, { flow_id, ...body }, signal) => {
      const read = await flows.readAnswer({ flow_id, body: body }, { signal });
      const { flow_id: _id, version: _version, node_id: _node, ...answer } = read;
      return answer;
    },
  }),
  tool({
    name: 'run_tests',
    title: 'Run the stored tests',
    description:
      'Plays every stored test of a flow with a version or a definition; those that fail come first.',
    effect: 'reads',
    input: lookedAt,
    output: {
      version: whichVersion,
      passed: z.int(),
      failed: z.int(),
      results: z.array(z.looseObject({ name: z.string(), passed: z.boolean() })),
    },
    run: async ({ flows }, { flow_id, version, definition }, signal) => {
      const run = await flows.runTests(
        {
          flow_id,
          ...(version === undefined ? {} : { version }),
          ...(definition ? { body: { definition: definition } } : {}),
        },
        { signal },
      );
      const results = [...run.results].sort((a: Listed, b: Listed) => Number(a.passed) - Number(b.passed));
      return { version: run.version, passed: run.passed, failed: run.failed, results };
    },
  }),
  tool({
    name: 'put_test',
    title: 'Store a test',
    description:
      'Stores a conversation and what it must come to, in place of the test of that name. A failing test keeps a version from being published. parley://examples/booking has one.',
    effect: 'overwrites',
    input: {
      flow_id: flowId,
      name: text(128).describe('Letters, digits and . _ : -'),
      test: z.looseObject({
        turns: z
          .array(
            turn.extend({
              expect: z.looseObject({}).describe('messages, next_node, status, variables, actions'),
            }),
          )
          .min(1)
          .max(100),
        variables: variables.optional(),
      }),
    },
    output: { name: z.string(), test: z.looseObject({}) },
    run: async ({ flows }, { flow_id, name, test }, signal) => {
      const stored = await flows.putTest({ flow_id, name, body: test }, { signal });
      return { name: stored.name, test: stored.test };
    },
  }),
];
