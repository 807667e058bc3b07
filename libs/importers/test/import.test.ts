// Imports one fixture for each form of a format, checks the report, and converses with the result.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { validateFlow, type ScriptTurn } from '@parley/flow-analysis';
import { compileFlow, parseFlow } from '@parley/flow-engine';
import { importFlow, type FormatName, type ImportResult } from '../src/index.ts';
import { brings, converse } from './converse.ts';

const folder = join(import.meta.dirname, 'fixtures');
const fixture = (name: string): unknown => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));

function imported(name: string): Extract<ImportResult, { ok: true }> {
  const result = importFlow(fixture(name));
  if (!result.ok) throw new Error(result.reason);
  return result;
}

function flowOf(name: string) {
  const parsed = parseFlow(imported(name).definition);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.flow;
}

const talk = (name: string, turns: readonly ScriptTurn[]) => converse(compileFlow(flowOf(name)), turns);

const formatOf: Readonly<Record<string, FormatName>> = {
  'dialogflow-cx': 'dialogflow-cx',
  dograh: 'dograh',
  pipecat: 'pipecat',
  'pipecat-static': 'pipecat',
  rasa: 'rasa',
  retell: 'retell',
  'retell-states': 'retell',
  typebot: 'typebot',
  'vapi-squad': 'vapi',
  'vapi-workflow': 'vapi',
};

test('every form has a fixture, and every fixture a form', () => {
  expect(readdirSync(folder).sort()).toEqual(
    Object.keys(formatOf)
      .map((name) => `${name}.json`)
      .sort(),
  );
});

describe.each(Object.entries(formatOf))('%s', (name, format) => {
  test('is recognised, and becomes a flow without errors', () => {
    expect(imported(name).format).toBe(format);
    expect(validateFlow(flowOf(name), { stepsMax: 200 }).errors).toEqual([]);
  });

  test('has every node in the report, in order, and its replacements in the flow', () => {
    const { report, definition } = imported(name);
    expect(
      report.map(
        (entry) => `${entry.type}: ${entry.outcome}${entry.reason === null ? '' : `, ${entry.reason}`}`,
      ),
    ).toMatchSnapshot();
    const ids = new Set((definition['nodes'] as { id: string }[]).map(({ id }) => id));
    for (const { node_ids } of report) for (const id of node_ids) expect(ids).toContain(id);
  });
});

describe('an imported conversation', () => {
  test('Typebot: text before a question is part of it; the engine runs conditions, sets and choices', () => {
    const { said, variables } = talk('typebot', [
      {},
      { user_input: 'I am forty' },
      brings('grown-up'),
      { user_input: 'a house' },
      { user_input: 'ada at example' },
      { user_input: 'ada@example.com' },
      { user_input: 'scan.pdf' },
    ]);
    expect(said).toEqual([
      'Welcome.\nHow old are you?',
      '',
      '',
      'Your e-mail',
      'That is no e-mail.',
      '',
      'Sorry, .',
    ]);
    expect(variables).toMatchObject({
      Age: 40,
      Points: 5,
      Kind: 'grown-up',
      Kinds: ['grown-up'],
      Thing: 'House',
    });
  });

  test('Typebot: the other paths', () => {
    expect(talk('typebot', [{}, { user_input: '17' }]).said[1]).toBe('https://example.com/no.png / Sorry, .');
    const { said, variables } = talk('typebot', [
      ...[{}, { user_input: '40' }, brings(1), { user_input: 'Car' }],
      brings({ price: 99 }),
    ]);
    expect([said[3], variables['Price']]).toEqual(['A car, then, .', 99]);
  });

  test('Rasa: steps, jumps, and an inlined call', () => {
    const { said, variables } = talk('rasa', [
      {},
      { user_input: 'send money', classifier: 0 },
      { user_input: 'Ada' },
      { user_input: '2000' },
      brings({}),
      { user_input: '5000' },
      brings({}),
      { user_input: '1234' },
      { user_input: 'yes' },
    ]);
    expect(said).toEqual([
      'What can I do for you?',
      expect.stringMatching(/^(To whom|Who gets it)\?$/),
      'How much for Ada?',
      '',
      'That is not enough. / How much for Ada?',
      '',
      'Your pin?',
      'Send 5000 to Ada?\n- Yes',
      'It is sent. / What can I do for you?',
    ]);
    expect(variables).toMatchObject({ has_funds: true, pin: '1234' });
  });

  test('Dialogflow CX: forms become questions, entities choices, intents judged edges', () => {
    const { said, variables } = talk('dialogflow-cx', [
      {},
      { user_input: 'hmm' },
      { user_input: 'a flight please', classifier: 1 },
      { user_input: 'London' },
      { user_input: 'paname' },
      { user_input: 'two' },
      brings({}),
      { user_input: 'no', classifier: 1 },
    ]);
    expect(said).toEqual([
      '',
      expect.stringMatching(/^(Say that again|What was that)\?$/),
      'Let us book. / To which city?',
      'Paris or Rome?',
      'How many seats to Paris?',
      '',
      'One moment. / 2 seats to Paris. Right?',
      'Let us book. / To which city?',
    ]);
    expect(variables).toMatchObject({ asked: true, seats: 2 });
    const group = [{ user_input: 'a flight', classifier: 1 }, { user_input: 'Rome' }, { user_input: '12' }];
    expect(talk('dialogflow-cx', [{}, ...group]).said.at(-1)).toBe('A colleague books groups.');
  });

  test('Dograh: an agent talks until its own reply names an edge, and each text is said once', () => {
    const { said } = talk('dograh', [
      {},
      { user_input: 'My tooth hurts' },
      brings('Would you like to come in?'),
      { user_input: 'Yes' },
      brings({ answer: 'Very well.', branch: 0 }),
    ]);
    expect(said.slice(1, 4)).toEqual(['', 'Would you like to come in?', '']);
    expect(said[4]).toBe('Very well.');
    const { definition, report } = imported('dograh');
    const talks = (definition['nodes'] as { type: string; converse?: boolean }[]).filter(
      ({ converse }) => converse,
    );
    expect(talks.length).toBeGreaterThan(1);
    expect(report[0]!.reason).toBe('a model talks until an edge matches; Parley judges each answer');
  });

  test('Retell: equations, functions with results, messages without an answer, and global nodes', () => {
    const ready = [{}, { user_input: '4711', classifier: 0, extraction: { order_no: '4711' } }];
    const { said } = talk('retell', [...ready, brings({ order: { state: 'packed' } })]);
    expect(said).toEqual(['What is your order number?', '', 'It is ready: packed. / Goodbye.']);
    expect(talk('retell', [...ready, brings({})]).said[2]).toBe('');
    const aside = [
      {},
      { user_input: 'when do you open?', classifier: 1 },
      { user_input: 'thanks', classifier: 0 },
    ];
    expect(talk('retell', aside).said).toEqual([
      'What is your order number?',
      'We are open from 8 to 20.',
      'What is your order number?',
    ]);
  });

  test('Vapi: the engine runs logic, and a failed request has an edge', () => {
    const asked = [{}, { user_input: 'a large one', extraction: { size: 'large' } }];
    expect(talk('vapi-workflow', [...asked, brings({ id: 1 })]).said).toEqual([
      'Which size would you like?',
      '',
      'Enjoy your pizza.',
    ]);
    const failed = { tool_result: { error: { code: 'timeout', message: 'too slow' } } };
    expect(talk('vapi-workflow', [...asked, failed]).said[2]).toBe('I put you through.');
  });
});

describe('refuses', () => {
  test.each([
    ['no object', [], /^the document is no object$/],
    ['nothing that is known', { hello: 1 }, /^no format is recognised; known formats: .*rasa \(Rasa/],
    // Source: docs.n8n.io/workflows/export-import: nodes with names and types, and `connections`.
    [
      'a workflow of an automation product',
      {
        name: 'Orders',
        nodes: [
          { name: 'Webhook', type: 'n8n-nodes-base.webhook', parameters: { path: 'x' }, position: [0, 0] },
          { name: 'Set', type: 'n8n-nodes-base.set', parameters: {}, position: [200, 0] },
        ],
        connections: { Webhook: { main: [[{ node: 'Set', type: 'main', index: 0 }]] } },
      },
      /^no format is recognised; known formats: /,
    ],
    [
      'a graph with nodes and edges of nobody we know',
      { nodes: [{ id: '1', name: 'A', type: 'step' }], edges: [{ from: 'A', to: 'A' }] },
      /^no format is recognised/,
    ],
    ['groups without edges', { groups: [{ blocks: [] }] }, /^no format is recognised/],
    ['a call of a model', { model: { messages: [] }, messages: [] }, /^no format is recognised/],
    ['flows without known steps', { flows: { a: { steps: [{ run: 'x' }] } } }, /^no format is recognised/],
  ])('%s', (_what, source, reason) => {
    expect(importFlow(source)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });

  test('a document that does not have the named format', () => {
    expect(importFlow(fixture('rasa'), 'typebot')).toEqual({ ok: false, reason: 'it is no Typebot' });
  });

  test('more nodes than a flow may have', () => {
    const nodes = Array.from({ length: 10_001 }, (_, id) => ({
      id: String(id),
      type: 'endCall',
      data: { name: 'x' },
    }));
    const source = {
      nodes: [{ id: 's', type: 'startCall', data: { prompt: 'Hello' } }, ...nodes],
      edges: [],
    };
    expect(importFlow(source)).toEqual({ ok: false, reason: 'more than 10000 nodes' });
  });
});

test('one sentence fills forms of Dialogflow CX and slots of Rasa, and filled ones are not asked', () => {
  const parameter = (displayName: string, entityType: string) => ({
    displayName,
    entityType,
    required: true,
    fillBehavior: { initialPromptFulfillment: { messages: [{ text: { text: [`${displayName}?`] } }] } },
  });
  const source = structuredClone(fixture('dialogflow-cx')) as { files: Record<string, { form?: object }> };
  const page = Object.values(source.files).find(({ form }) => form !== undefined)!;
  page.form = {
    parameters: [
      parameter('day', '@sys.date'),
      parameter('hour', '@sys.time'),
      parameter('note', '@sys.any'),
      parameter('guests', '@sys.number-integer'),
    ],
  };
  const result = importFlow(source);
  if (!result.ok) throw new Error(result.reason);
  const nodes = result.definition['nodes'] as { variable?: string; also?: string[]; skip_if_set?: boolean }[];
  const asked = nodes.filter(({ variable }) => ['day', 'hour', 'note', 'guests'].includes(variable ?? ''));
  expect(asked.map(({ variable, also, skip_if_set }) => [variable, also, skip_if_set])).toEqual([
    ['day', ['hour', 'guests'], true],
    ['hour', ['guests'], true],
    ['note', ['guests'], true],
    ['guests', undefined, true],
  ]);
  const slots = (imported('rasa').definition['nodes'] as typeof nodes).filter(({ variable }) => variable);
  expect(slots.map(({ variable, skip_if_set }) => [variable, skip_if_set])).toEqual(
    expect.arrayContaining([
      ['recipient', undefined],
      ['amount', true],
    ]),
  );
});
