// Tools that show what a flow does, and what a change would do. None calls a model, a tool or a
// webhook (docs/mcp.md#tools).
import { z } from 'zod';
import { definition, flowId, items, text, tool, variables, version } from './tool.ts';

const flowOrDefinition = {
  flow_id: flowId,
  version: version.describe('Default: the latest').optional(),
  definition: definition.describe('Replaces the stored version').optional(),
};
const between = {
  flow_id: flowId,
  from: version.describe('Default: the published version, else the previous one').optional(),
  to: version.describe('Default: the latest').optional(),
  definition: definition.describe('Replaces `to`').optional(),
};
/** null for a definition in the request. */
const whichVersion = z.int().nullable().describe('null for a definition in the request');

const turn = z.looseObject({
  user_input: z.string().max(10_000).nullable().describe('Absent or null: silence').optional(),
  tool_result: z
    .looseObject({})
    .nullable()
    .describe('The result of the tool that the flow waits for')
    .optional(),
});

type TestResult = { readonly passed: boolean };

export const simulationTools = [
  tool({
    name: 'diff',
    title: 'Compare definitions',
    description:
      'Compares a version, or an unsaved definition, with another version: sentences and an RFC 6902 patch.',
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
    title: 'Compare behaviour',
    description:
      'Shows how two versions differ for callers: runs stored tests and conversations that take every edge with both, and reports where they diverge.',
    effect: 'reads',
    input: between,
    output: {
      from: z.int(),
      to: whichVersion,
      same: z.boolean(),
      complete: z.boolean().describe('false: there were too many conversations to run all'),
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
    title: 'Simulate a conversation',
    description:
      'Runs a whole conversation without side effects and returns the messages of each turn. Pass `utterances`, or `turns` when the flow waits for results of tools.',
    effect: 'reads',
    input: {
      ...flowOrDefinition,
      utterances: z
        .array(z.string().max(10_000).nullable())
        .max(100)
        .describe('One per turn; begin with null when the flow speaks first')
        .optional(),
      turns: z.array(turn).max(100).optional(),
      variables: variables.optional(),
      trace: z.boolean().describe('Also return which edges were tried, and why').default(false),
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
    title: 'Reach a node or an edge',
    description:
      'Finds the shortest conversation that reaches a node or an edge, as a test that you can store, or explains why there is none.',
    effect: 'reads',
    input: {
      ...flowOrDefinition,
      node_id: text().describe('The node to reach; or pass `edge_index`').optional(),
      edge_index: z.int().min(0).describe('The index of the edge in `edges`').optional(),
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
    title: 'Read an answer',
    description:
      'Reads an utterance as a question would: its value or why there is none, and how each word was used. Runs no conversation.',
    effect: 'reads',
    input: {
      ...flowOrDefinition,
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
    description: 'Runs every stored test of a flow with a version or a definition; failed tests come first.',
    effect: 'reads',
    input: flowOrDefinition,
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
      const results = [...run.results].sort(
        (a: TestResult, b: TestResult) => Number(a.passed) - Number(b.passed),
      );
      return { version: run.version, passed: run.passed, failed: run.failed, results };
    },
  }),
  tool({
    name: 'put_test',
    title: 'Store a test',
    description:
      'Stores a conversation with its expected results, and replaces the test of that name. A failing test prevents publishing. parley://examples/booking has one.',
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
