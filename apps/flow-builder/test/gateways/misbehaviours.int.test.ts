// Every documented misbehaviour of a provider, through classifier, extractor and agent: each is
// read as it was meant, or fails closed with its reason. Then what /health says of it.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AgentSpec, BranchQuestion } from '@parley/flow-engine';
import { createMetrics } from '@parley/metrics';
import { createLog, createSecrets, readConfig } from '@parley/server/runtime';
import { capturedLog, fakeGateway, type CapturedLog, type FakeGateway } from '@parley/testing';
import { z } from 'zod';
import { createGatewayFactory, type Gateways } from '../../src/gateways/create-gateways.ts';
import { failureTexts, type GatewayFailure } from '../../src/gateways/failures.ts';
import { gatewayEnv } from '../../src/gateways/gateway-config.ts';
import { knownProviders } from '../../src/gateways/known-providers.ts';
import { misbehaviours, type Misbehaviour } from './misbehaviours.ts';

const KEY = 'sk-CANARY';
const BUDGET_MS = 10_000;
/** For misbehaviours that last longer than anybody waits. */
const SHORT_MS = 300;

let gateway: FakeGateway;
let captured: CapturedLog;
let close: () => void;
let made: Gateways;
let nowMs = 0;

beforeAll(async () => {
  gateway = await fakeGateway({ key: KEY });
});
afterAll(() => gateway.close());
beforeEach(() => {
  nowMs = Date.parse('2026-11-27T10:00:00Z');
  gateway.chats.length = 0;
  captured = capturedLog();
  const env = {
    GATEWAY_URL: gateway.url,
    GATEWAY_KEY: 'env://KEY',
    CLASSIFIER_MODEL: 'small',
    EXTRACTOR_MODEL: 'reader',
    AGENT_MODEL: 'large',
    CLASSIFIER_TIMEOUT: '20',
  };
  const read = readConfig(z.object(gatewayEnv), env);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const factory = createGatewayFactory({
    config: read.config,
    secrets: createSecrets({ env: { KEY }, clock: () => nowMs }),
    clock: () => nowMs,
    log: createLog({ service: 'test', level: 'debug', destination: captured }),
    metrics: createMetrics('test'),
    dispatch: async () => {
      throw new Error('no tool is called here');
    },
  });
  made = factory.deployment;
  close = () => factory.deploymentProvider!.provider.close();
});
afterEach(() => {
  close();
  expect(captured.text()).not.toContain('CANARY');
});

const question: BranchQuestion = {
  nodeId: 'branch',
  utterance: 'I would like my money back',
  persona: null,
  candidates: [
    { index: 0, nl: 'wants a refund', label: 'Refund' },
    { index: 1, nl: 'wants to speak to a person', label: null },
  ],
};
const extraction = {
  nodeId: 'ask',
  utterance: 'Ada',
  prompt: null,
  schema: { type: 'object', properties: { choice: { type: 'string' } } },
};
const spec: AgentSpec = {
  nodeId: 'help',
  goal: 'Help the caller.',
  prompt: null,
  tools: null,
  toolDispatch: null,
  documents: null,
  mcp: null,
  context: null,
  maxIterations: 3,
  turnBudgetSeconds: 10,
  outputVar: 'outcome',
  utterance: 'Hello',
};
const budgetFor = ({ expected }: Misbehaviour) => (expected === 'timeout' ? SHORT_MS : BUDGET_MS);
const isTimeout = (failure: string) => failure === 'timeout';

describe.each(Object.entries(misbehaviours))('%s', (_name, misbehaviour) => {
  const { answer, expected, requests = 1, onlyForClassifier = false } = misbehaviour;
  const scripted = requests === 1 ? [answer] : [answer, { choice: 0 } as const];

  test('the classifier reads it, or takes no branch', async () => {
    gateway.script(...scripted);
    const classified = await made.classifier.classify(question, budgetFor(misbehaviour));
    expect(gateway.chats).toHaveLength(requests);
    expect(classified).toEqual(
      expected === 'read'
        ? { kind: 'chosen', index: 0, confidence: 0.9 }
        : { kind: 'unavailable', reason: isTimeout(expected) ? 'timeout' : 'error', failure: expected },
    );
  });

  test('the extractor reads it, or takes no value', async () => {
    gateway.script(...scripted);
    const extracted = await made.extractor!.extract(extraction, budgetFor(misbehaviour));
    if (expected === 'read' || onlyForClassifier) expect(extracted.kind).toBe('extracted');
    else expect(extracted).toEqual({ kind: 'unavailable', reason: expected });
  });
});

/** What an agent makes of it: a text is an answer, and a tool that it does not have a result. */
const expectedOfAgent = ({ expected, agent }: Misbehaviour) =>
  agent ?? (expected === 'nonsense' || expected === 'unknown_branch' ? 'read' : expected);
const REPEATED = new Set(['connection', 'rate_limited', 'http_status']);

describe.each(Object.entries(misbehaviours))('%s', (_name, misbehaviour) => {
  test('the agent goes on with it, or ends with its reason', async () => {
    const { answer } = misbehaviour;
    const expected = expectedOfAgent(misbehaviour);
    const callsTool = typeof answer === 'object' && 'tools' in answer;
    const scripted = [answer, ...(callsTool ? [{ goalReached: 'Done.' }] : [])];
    // A transient failure is tried again.
    if (REPEATED.has(expected) && misbehaviour.agent === undefined) scripted.push(answer);
    gateway.script(...scripted);
    const bounds = { budgetMs: budgetFor(misbehaviour), organizationId: 'org', sessionId: null };
    const outcome = await made.agent!.runAgent(spec, bounds);
    expect(gateway.chats).toHaveLength(scripted.length);
    const status = isTimeout(expected) ? 'budget_exhausted' : 'error';
    expect(outcome).toMatchObject(
      expected === 'read' ? { status: 'goal_reached' } : { status, failure: expected, answer: null },
    );
    if (expected === 'read') expect(outcome).not.toHaveProperty('failure');
  });
});

test('a document tells where each comes from', () => {
  const vendors = Object.entries(misbehaviours).filter(([name]) => /^[A-Z][A-Za-z]+: /.test(name));
  expect(vendors.length).toBeGreaterThan(15);
  for (const [name, { source }] of vendors)
    expect([name, source]).toEqual([name, expect.stringMatching(/^https:/)]);
  for (const { sources } of knownProviders) expect(sources).not.toEqual([]);
});

describe('a member that a model has refused', () => {
  test('is left out from then on, and only for this model', async () => {
    const { answer } = misbehaviours['OpenAI: response format is not taken']!;
    gateway.script(answer, { choice: 0 }, { choice: 1 }, { values: { choice: 'a' } });
    await made.classifier.classify(question, BUDGET_MS);
    await made.classifier.classify(question, BUDGET_MS);
    await made.extractor!.extract(extraction, BUDGET_MS);
    const formats = gateway.chats.map(({ response_format: format }) => format?.type);
    expect(formats).toEqual(['json_schema', undefined, undefined, 'json_schema']);
    // Then the instructions hold the schema.
    expect(gateway.chats[1]!.messages[0]!.content).toContain('"enum":["0","1","none"]');
  });

  test('costs one request each, and a third refusal is an answer', async () => {
    const temperature = misbehaviours['OpenAI: temperature is not taken']!.answer;
    const format = misbehaviours['OpenAI: response format is not taken']!.answer;
    gateway.script(temperature, format, temperature);
    expect(await made.classifier.classify(question, BUDGET_MS)).toMatchObject({ kind: 'unavailable' });
    expect(gateway.chats.map((chat) => ['temperature' in chat, 'response_format' in chat])).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ]);
  });

  test('is not assumed when the schema itself is invalid', async () => {
    const message = "Invalid schema for response_format 'branch_choice'";
    gateway.script({ status: 400, error: { message, param: 'response_format', code: null } });
    expect(await made.classifier.classify(question, BUDGET_MS)).toMatchObject({ failure: 'http_status' });
    expect(gateway.chats).toHaveLength(1);
  });
});

describe('/health', () => {
  const fails = async () => {
    gateway.script(429);
    await made.classifier.classify(question, BUDGET_MS);
  };
  const isReady = async () => (await made.classifier.health()).ready;

  test('is not ready once classification has failed for a minute, and says why', async () => {
    await fails();
    nowMs += 59_999;
    await fails();
    expect(await isReady()).toBe(true);
    nowMs += 1;
    await fails();
    expect(await made.classifier.health()).toEqual({
      ready: false,
      kind: 'gateway',
      reason: 'rate_limited',
      message: failureTexts.rate_limited,
      failing_since: '2026-11-27T10:00:00.000Z',
    });
  });

  test('is ready again after one success', async () => {
    await fails();
    nowMs += 60_000;
    await fails();
    expect(await isReady()).toBe(false);
    gateway.script({ choice: 'none' });
    await made.classifier.classify(question, BUDGET_MS);
    expect(await isReady()).toBe(true);
  });

  test('goes by the probe when the failures are old', async () => {
    await fails();
    nowMs += 60_000;
    await fails();
    nowMs += 300_001;
    expect(await isReady()).toBe(true);
  });

  test.each<[FakeGateway['models'], GatewayFailure]>([
    [401, 'unauthorized'],
    [500, 'http_status'],
    ['hang', 'timeout'],
  ])('says what the probe saw: %s', async (models, reason) => {
    gateway.models = models;
    expect(await made.classifier.health()).toEqual({
      ready: false,
      kind: 'gateway',
      reason,
      message: failureTexts[reason],
    });
    gateway.models = 200;
  });
});
