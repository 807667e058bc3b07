// The flows of examples/ over public HTTP: each is valid, passes its own tests and the publish
// gate, and holds the conversation in its file.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { handoffResult, playedToolResult } from '../src/turns/schemas.ts';
import { conversationTest } from '../src/conversations/schemas.ts';
import { startFlowBuilder, type FlowBuilder } from './service.ts';

const folder = new URL('../examples/', import.meta.url);

/** An example file. The command `npm run examples` reads the same members. */
const exampleFile = z.strictObject({
  flow_id: z.string(),
  name: z.string(),
  description: z.string().min(1),
  definition: z.looseObject({ nodes: z.array(z.looseObject({ id: z.string() })) }),
  tests: z.record(z.string(), conversationTest),
  conversation: z
    .array(
      z.strictObject({
        user_input: z.string().nullable().optional(),
        tool_result: playedToolResult.optional(),
        handoff_result: handoffResult.optional(),
        at: z.string().optional(),
        variables: z.record(z.string(), z.unknown()).optional(),
        expect: z
          .strictObject({ status: z.string().optional(), next_node: z.string().nullable().optional() })
          .optional(),
      }),
    )
    .min(2),
});
type Example = z.output<typeof exampleFile>;

const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
const examples = files.map((file): [string, Example] => [
  file,
  exampleFile.parse(JSON.parse(readFileSync(new URL(file, folder), 'utf8'))),
]);

/** Infos that need no change. */
const notHints: ReadonlySet<string> = new Set(['op_alias', 'comma_separated_list', 'captured_but_unused']);

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
});
afterAll(() => flows.stop());

interface Turn {
  readonly status: string;
  readonly next_node: string | null;
  readonly version: number;
  readonly variables: object;
  readonly actions: readonly { readonly call_id?: string }[];
}

interface TestRun {
  readonly version: number;
  readonly passed: number;
  readonly results: readonly { readonly passed: boolean }[];
}

/**
 * Says one line after the other, and skips lines for another question (`at`). Returns the last
 * turn.
 */
async function hold({ flow_id, conversation }: Example): Promise<Turn> {
  let turn: Turn | null = null;
  for (const line of conversation) {
    const { user_input = null, tool_result, handoff_result, at, variables, expect: expected } = line;
    if (at !== undefined && at !== turn?.next_node) continue;
    const before = turn;
    expect({ before: line, next_node: before?.next_node }).not.toMatchObject({ next_node: null });
    const call_id = before?.actions.findLast((action) => action.call_id !== undefined)?.call_id;
    const response = await flows.api
      .post(`/product/v1/flows/${flow_id}/execute`, {
        session_id: `example-${flow_id}`,
        current_node: before?.next_node ?? null,
        user_input,
        tool_result: tool_result && { ...tool_result, call_id },
        handoff_result,
        variables: { ...before?.variables, ...variables },
      })
      .expect(200);
    turn = response.body as Turn;
    if (expected) expect({ line, ...turn }).toMatchObject(expected);
  }
  if (turn === null) throw new Error(`${flow_id} has no conversation`);
  return turn;
}

test('there are examples, each in a file of its own name and in the README', () => {
  expect(examples.length).toBeGreaterThanOrEqual(10);
  const readme = readFileSync(new URL('README.md', folder), 'utf8');
  for (const [file, example] of examples) {
    expect(file).toBe(`${example.flow_id}.json`);
    expect(readme).toContain(`(${file})`);
  }
});

test.each(['first-notice-de', 'first-notice-es', 'clinic-appointment'])(
  '%s is played with thirty utterances and more, and asks in its tests for most of its nodes',
  (name) => {
    const [, { tests, definition }] = examples.find(([file]) => file === `${name}.json`)!;
    const turns = Object.values(tests).flatMap((one) => one.turns);
    expect(turns.filter(({ user_input }) => user_input != null).length).toBeGreaterThanOrEqual(30);
    const waits = definition.nodes.filter(({ type }) => type === 'collect');
    const reached = new Set(turns.map(({ expect: { next_node } }) => next_node));
    expect(waits.filter(({ id }) => !reached.has(id)).map(({ id }) => id)).toEqual([]);
  },
);

describe.each(examples)('%s', (_, example) => {
  const path = `/v1/flows/${example.flow_id}`;
  const testNames = Object.keys(example.tests);

  test('is valid, without a warning', async () => {
    const response = await flows.api.post(`${path}/validate`, { definition: example.definition }).expect(200);
    const { errors, warnings, infos } = response.body as Record<string, { code: string }[]>;
    const hints = infos!.filter(({ code }) => !notHints.has(code));
    expect({ errors, warnings, hints }).toEqual({ errors: [], warnings: [], hints: [] });
    expect(response.body).toMatchObject({ valid: true, required_variables: [] });
  });

  test('passes its own tests and the publish gate, then holds its conversation', async () => {
    const { flow_id, name, definition } = example;
    await flows.api.post('/v1/flows', { flow_id, name, definition }).expect(201);
    expect(testNames.length).toBeGreaterThanOrEqual(2);
    for (const [testName, body] of Object.entries(example.tests))
      await flows.api.put(`${path}/tests/${testName}`, body).expect(201);
    const run = await flows.api.post(`${path}/tests/run`).expect(200);
    const { version, passed, results } = run.body as TestRun;
    expect(results.filter((result) => !result.passed)).toEqual([]);
    expect({ version, passed }).toEqual({ version: 1, passed: testNames.length });
    await flows.api.post(`${path}/publish`, {}).expect(200);

    const last = await hold(example);
    const expected = example.conversation.at(-1)?.expect?.status;
    expect(expected).toMatch(/^(completed|handed_off)$/);
    expect(last).toMatchObject({ status: expected, next_node: null, version: 1 });
    expect(last).not.toHaveProperty('published');
  });

  test('has no turn without an expectation', () => {
    for (const { turns } of Object.values(example.tests))
      for (const turn of turns) expect(Object.keys(turn.expect)).not.toEqual([]);
  });
});

test('without a gateway, the embedded classifier understands the sentence of the triage conversation', async () => {
  const triage = examples.find(([file]) => file === 'support-triage.json')![1];
  const [opening, sentence] = triage.conversation;
  await flows.api.post('/v1/flows', { flow_id: 'triage', definition: triage.definition }).expect(201);
  const response = await flows.api
    .post('/v1/flows/triage/execute?trace=true', {
      current_node: opening?.expect?.next_node,
      user_input: sentence?.user_input,
    })
    .expect(200);
  expect(response.body).toMatchObject({
    next_node: 'ask_light',
    trace: [{ node_id: 'ask_problem' }, { node_id: 'triage', decided_by: 'classifier' }, {}],
  });
});
