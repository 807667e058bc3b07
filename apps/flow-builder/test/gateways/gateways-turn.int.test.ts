// Whole turns over HTTP with a model gateway: a branch, an extraction, an agent in process. A
// failing gateway costs a turn only the missing answer.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startTracing } from '@parley/server/tracing';
import { eventually, fakeGateway, receiver, type FakeGateway, type GatewayAnswer } from '@parley/testing';
import { startFlowBuilder, type FlowBuilder } from '../service.ts';

const KEY = 'sk-CANARY-of-the-gateway';
const TURN_DEADLINE_S = 2;

let gateway: FakeGateway;
let flows: FlowBuilder;

beforeAll(async () => {
  gateway = await fakeGateway({ key: KEY });
  flows = await startFlowBuilder({
    OPERATOR_ORGANIZATION: 'acme',
    GATEWAY_URL: gateway.url,
    GATEWAY_KEY: 'env://GATEWAY_KEY_VALUE',
    GATEWAY_KEY_VALUE: KEY,
    CLASSIFIER_MODEL: 'small',
    CLASSIFIER_TIMEOUT: '1.5',
    EXTRACTOR_MODEL: 'reader',
    AGENT_MODEL: 'large',
    AGENT_MODE: 'in_process',
    TURN_DEADLINE: String(TURN_DEADLINE_S),
  });
  for (const [flowId, definition] of Object.entries({ branches, reading, again, helper })) {
    await flows.api.post('/v1/flows', { flow_id: flowId, definition }).expect(201);
  }
});
afterAll(async () => {
  await flows.stop();
  await gateway.close();
  expect(flows.log.text()).not.toContain('CANARY');
});
beforeEach(() => {
  gateway.chats.length = 0;
});

/** Two branches in sequence, each with a natural-language edge. */
const branches = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'What do you need?', variable: 'need' },
    { id: 'again', type: 'branch' },
    { id: 'sales', type: 'end', message: 'Sales' },
    { id: 'repair', type: 'end', message: 'Repair' },
    { id: 'other', type: 'end', message: 'Other' },
    { id: 'persona', type: 'global', prompt: 'You speak for {{ company }}.' },
  ],
  edges: [
    { source: 'ask', target: 'sales', nl: 'wants to buy', label: 'Buy' },
    { source: 'ask', target: 'again', default: true },
    { source: 'again', target: 'repair', condition: 'wants something repaired' },
    { source: 'again', target: 'other', default: true },
  ],
};

const reading = {
  nodes: [
    {
      id: 'ask',
      type: 'collect',
      prompt: 'Who are you?',
      variable: 'said',
      extraction: {
        variables: [
          { name: 'name', type: 'string', required: true },
          { name: 'age', type: 'integer' },
        ],
      },
    },
    { id: 'bye', type: 'end', message: 'Hello {{ name | default: "you" }}.' },
  ],
  edges: [{ source: 'ask', target: 'bye' }],
};

/** A cast that a model may help, before a branch that a model could decide. */
const again = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'Which day?', variable: 'day', cast: 'date', read_with: 'model' },
    { id: 'sort', type: 'branch' },
    { id: 'festive', type: 'end', message: 'Merry!' },
    { id: 'plain', type: 'end', message: 'On {{ day }}.' },
  ],
  edges: [
    { source: 'ask', target: 'sort' },
    { source: 'sort', target: 'festive', nl: 'is festive' },
    { source: 'sort', target: 'plain', default: true },
  ],
};

const helper = {
  nodes: [
    {
      id: 'help',
      type: 'autonomous',
      goal: 'Find the order of {{ name }}.',
      tools: [{ name: 'find_order', description: 'Finds an order' }],
      output_var: 'found',
    },
    { id: 'bye', type: 'end', message: 'Status: {{ found.status }}.' },
  ],
  edges: [{ source: 'help', target: 'bye' }],
};

/** What is read of OTLP in JSON (opentelemetry-proto, trace.proto). */
interface OtlpTraces {
  resourceSpans: { scopeSpans: { spans: { traceId: string; spanId: string; name: string }[] }[] }[];
}

const says = (flowId: string, text: string | null, body: object = {}) =>
  flows.api
    .post(`/v1/flows/${flowId}/execute?trace=true`, { session_id: 's-1', user_input: text, ...body })
    .expect(200);
const atAsk = { current_node: 'ask', variables: { company: 'Acme' } };

describe('a branch', () => {
  test('takes the edge that the model chooses', async () => {
    gateway.script({ choice: 0, confidence: 0.8 });
    expect((await says('branches', 'I need a car', atAsk)).body).toMatchObject({
      outputs: [{ text: 'Sales' }],
      trace: [{ decided_by: 'classifier', classifier: { outcome: 'chosen', index: 0, confidence: 0.8 } }, {}],
    });
    expect(gateway.chats[0]!.messages[0]!.content).toContain('"persona":"You speak for Acme."');
  });

  test.each<[GatewayAnswer, object]>([
    [{ choice: 'none' }, { outcome: 'none' }],
    [
      { choice: 0, confidence: 0.49 },
      { outcome: 'low_confidence', index: 0, confidence: 0.49 },
    ],
    [{ choice: 5 }, { outcome: 'error', failure: 'unknown_branch' }],
    [{ content: 'Sales!' }, { outcome: 'error', failure: 'nonsense' }],
    [401, { outcome: 'error', failure: 'unauthorized' }],
    [500, { outcome: 'error', failure: 'http_status' }],
    ['reset', { outcome: 'error', failure: 'connection' }],
    ['huge', { outcome: 'error', failure: 'too_large' }],
  ])('takes the default edge and says why: %j', async (answer, classifier) => {
    gateway.script(answer, { choice: 0 });
    const response = await says('branches', 'I need a car', atAsk);
    expect(response.body).toMatchObject({
      outputs: [{ text: 'Repair' }],
      trace: [{ decided_by: 'default' }, { decided_by: 'classifier' }, {}],
    });
    expect((response.body as { trace: { classifier: object }[] }).trace[0]!.classifier).toEqual(classifier);
  });

  test('is a span for each call, below the request', async () => {
    const collector = await receiver();
    const stop = await startTracing({
      service: 'flow-builder',
      endpoint: collector.url,
      headers: {},
      ratio: 1,
    });
    gateway.script(500, { choice: 0 });
    await says('branches', 'I need a car', atAsk);
    const metrics = await flows.deps.metrics.openMetricsText();
    await stop();
    const spans = collector.requests.flatMap(({ body }) =>
      (JSON.parse(body.toString()) as OtlpTraces).resourceSpans.flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap((scope) => scope.spans),
      ),
    );
    await collector.close();
    const request = spans.find(({ name }) => name.startsWith('POST /v1/flows'))!;
    const calls = spans.filter(({ name }) => name === 'chat small');
    const FAILED = 2; // STATUS_CODE_ERROR
    expect(calls).toMatchObject([
      { parentSpanId: request.spanId, status: { code: FAILED, message: 'http_status' } },
      { parentSpanId: request.spanId, status: { code: 0 } },
    ]);
    expect(JSON.stringify(spans)).not.toContain('I need a car');
    const exemplar = `# {trace_id="${request.traceId}"}`;
    for (const name of ['http_request_duration_seconds_bucket', 'gateway_call_duration_seconds_bucket'])
      expect(metrics.split('\n').some((line) => line.startsWith(name) && line.includes(exemplar))).toBe(true);
  });

  test('with a hanging gateway takes no longer than the deadline of the turn', async () => {
    gateway.script('hang', 'hang');
    const startedAt = performance.now();
    expect((await says('branches', 'I need a car', atAsk)).body).toMatchObject({
      outputs: [{ text: 'Other' }],
      trace: [{ classifier: { outcome: 'timeout' } }, { classifier: { outcome: 'timeout' } }, {}],
    });
    const seconds = (performance.now() - startedAt) / 1000;
    expect(seconds).toBeGreaterThan(TURN_DEADLINE_S - 0.1);
    expect(seconds).toBeLessThan(TURN_DEADLINE_S + 1);
  });

  test('whose provider refuses the key is an alert for the operators', async () => {
    await eventually(async () => {
      const open = await flows.api.get('/v1/alerts?status=open&kind=provider_refused').expect(200);
      return (open.body as { items: { subject: string }[] }).items.some(
        ({ subject }) => subject === 'GATEWAY_URL',
      );
    });
  });

  test('is counted by how it was decided', async () => {
    const { text } = await flows.api.get('/metrics');
    for (const outcome of ['chosen', 'none', 'low_confidence', 'error', 'timeout']) {
      expect(text).toMatch(new RegExp(`flow_classifier_total\\{[^}]*outcome="${outcome}"`));
    }
    for (const reason of [
      'unknown_branch',
      'nonsense',
      'unauthorized',
      'http_status',
      'connection',
      'timeout',
    ]) {
      expect(text).toMatch(new RegExp(`gateway_failures_total\\{[^}]*reason="${reason}"`));
    }
  });
});

describe('an extraction', () => {
  test('merges stated values of the right type only', async () => {
    gateway.script({ values: { name: 'Ada', age: '36' } });
    const response = await says('reading', 'Ada, 36', { current_node: 'ask' });
    expect(response.body).toMatchObject({
      outputs: [{ text: 'Hello Ada.' }],
      variables: { said: 'Ada, 36', name: 'Ada' },
      trace: [{ extraction: { merged: ['name'], rejected: ['age'] } }, {}],
    });
    expect((response.body as { variables: object }).variables).not.toHaveProperty('age');
  });

  test('that fails merges nothing', async () => {
    gateway.script(500);
    expect((await says('reading', 'Ada, 36', { current_node: 'ask' })).body).toMatchObject({
      outputs: [{ text: 'Hello you.' }],
      trace: [{ extraction: { unavailable: 'http_status' } }, {}],
    });
  });
});

describe('a second reader', () => {
  const onChristmas = 'on Christmas day';
  const asks = (text: string) => says('again', text, { current_node: 'ask' });

  test('reads answers that the cast refuses, as the only model call of the turn', async () => {
    gateway.script({ values: { value: '2026-12-25', words: 'Christmas day' } });
    expect((await asks(onChristmas)).body).toMatchObject({
      outputs: [{ text: 'On 2026-12-25.' }],
      input: { status: 'captured', decided_by: 'model' },
      trace: [
        { input: { proposal: { outcome: 'captured', decided_by: 'model', words: 'Christmas day' } } },
        { decided_by: 'default', classifier: { outcome: 'budget_spent' } },
        {},
      ],
    });
    expect(gateway.chats).toHaveLength(1);
    expect(gateway.chats[0]).toMatchObject({ model: 'reader' });
    expect(JSON.stringify(gateway.chats[0])).toContain('Which day?');
  });

  test('is not asked when the cast reads the answer', async () => {
    gateway.script({ choice: 0, confidence: 1 });
    expect((await asks('tomorrow')).body).toMatchObject({ outputs: [{ text: 'Merry!' }] });
    expect(gateway.chats.map(({ model }) => model)).toEqual(['small']);
  });

  test.each<[string, GatewayAnswer]>([
    ['words_not_said', { values: { value: '2026-12-25', words: 'Boxing day' } }],
    ['not_accepted', { values: { value: 'next week', words: 'Christmas day' } }],
    ['nothing_proposed', { values: { value: null, words: null } }],
    ['unavailable', { content: 'It is the 25th!' }],
    ['unavailable', 500],
    ['unavailable', 'reset'],
    ['unavailable', 'hang'],
  ])('asks again where the proposal is %s: %j', async (outcome, answer) => {
    gateway.script(answer);
    expect((await asks(onChristmas)).body).toMatchObject({
      status: 'waiting',
      next_node: 'ask',
      input: { status: 'no_match' },
      outputs: [{ type: 'reprompt', text: 'Which day?' }],
      trace: [{ input: { status: 'no_match', reason: 'not_a_date', proposal: { outcome } } }],
    });
  });

  test('no validation warns, since a model is configured', async () => {
    const { warnings } = (await flows.api.post('/v1/flows/again/validate', {}).expect(200)).body as {
      warnings: { code: string }[];
    };
    expect(warnings.map(({ code }) => code)).not.toContain('reader_not_configured');
  });
});

describe('an autonomous node', () => {
  test('runs here, and its outcome goes into variables and action', async () => {
    gateway.script(
      { tools: [{ name: 'find_order', args: { of: 'Ada' } }] },
      { goalReached: 'It comes today.' },
    );
    // It has no endpoint: gateways-agent tests calls of tools.
    const call = { tool: 'find_order', args: { of: 'Ada' }, ok: false, result: { error: 'no_endpoint' } };
    const outcome = { status: 'goal_reached', answer: 'It comes today.', iterations: 2, tool_calls: [call] };
    expect((await says('helper', null, { variables: { name: 'Ada' } })).body).toMatchObject({
      outputs: [
        { type: 'message', node_id: 'help', text: 'It comes today.' },
        { text: 'Status: goal_reached.' },
      ],
      actions: [{ type: 'autonomous', node_id: 'help', goal: 'Find the order of Ada.', ...outcome }],
      variables: { found: outcome },
    });
  });

  test('has its reason in the trace when the provider fails', async () => {
    gateway.script(401);
    expect((await says('helper', null)).body).toMatchObject({
      outputs: [{ text: 'Status: error.' }],
      trace: [{ node_id: 'help', agent: { status: 'error', failure: 'unauthorized' } }, {}],
    });
  });

  test('ends with the deadline of the turn, and the walk continues', async () => {
    gateway.script('hang');
    const startedAt = performance.now();
    expect((await says('helper', null)).body).toMatchObject({
      outputs: [{ text: 'Status: budget_exhausted.' }],
      variables: { found: { status: 'budget_exhausted', answer: null, iterations: 1, tool_calls: [] } },
    });
    expect(performance.now() - startedAt).toBeLessThan((TURN_DEADLINE_S + 1) * 1000);
  });
});

test('/health reports the gateway without asking it each time', async () => {
  for (let probe = 0; probe < 5; probe += 1) {
    expect((await flows.api.get('/health').expect(200)).body).toMatchObject({
      classifier: { ready: true, kind: 'gateway' },
    });
  }
  expect(gateway.modelRequests).toBeLessThanOrEqual(2); // 2: when the ten seconds end just here
});
