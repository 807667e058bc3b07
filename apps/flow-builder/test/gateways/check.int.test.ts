// POST /v1/gateway/check against a local gateway: what it says of each use, who may ask, and what
// the audit log holds.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { fakeGateway, type ChatRequest, type FakeGateway, type GatewayAnswer } from '@parley/testing';
import { failureTexts } from '../../src/gateways/failures.ts';
import { startFlowBuilder, type FlowBuilder } from '../service.ts';

const KEY = 'sk-CANARY-of-the-gateway';
/** A check that hangs lasts this long: enough for a second one to arrive. */
const HANGS_S = 5;
type Use = 'classifier' | 'extractor' | 'agent';
const right: Record<Use, GatewayAnswer> = {
  classifier: { choice: 0 },
  extractor: { values: { name: 'Ada', nights: 2 } },
  agent: { goalReached: 'Hello Ada.' },
};
let answers = right;
let gateway: FakeGateway;
let flows: FlowBuilder;

const useOf = ({ model }: ChatRequest): Use =>
  model === 'small' ? 'classifier' : model === 'reader' ? 'extractor' : 'agent';

beforeAll(async () => {
  gateway = await fakeGateway({ key: KEY, fallback: (chat) => answers[useOf(chat)] });
  flows = await startFlowBuilder({
    GATEWAY_URL: gateway.url,
    GATEWAY_KEY: 'env://GATEWAY_KEY_VALUE',
    GATEWAY_KEY_VALUE: KEY,
    CLASSIFIER_MODEL: 'small',
    EXTRACTOR_MODEL: 'reader',
    AGENT_MODEL: 'large',
    CLASSIFIER_TIMEOUT: `${HANGS_S}`,
  });
});
afterEach(() => {
  answers = right;
});
afterAll(async () => {
  await flows.stop();
  await gateway.close();
  expect(flows.log.text()).not.toContain('CANARY');
});

const check = async (api = flows.api) =>
  (await api.post('/v1/gateway/check', {}).expect(200)).body as {
    ok: boolean;
    checks: { use: Use; status: string; model: string | null; reason: string | null; message: string }[];
  };
const auditedChecks = async () => {
  const { items } = (await flows.api.get('/v1/audit-log?from=0').expect(200)).body as {
    items: { action: string; details: object }[];
  };
  return items.filter(({ action }) => action === 'gateway.checked').map(({ details }) => details);
};

test('every use works: what came back, in words, and an entry in the audit log', async () => {
  const { ok, checks } = await check();
  expect(ok).toBe(true);
  expect(checks).toMatchObject([
    { use: 'classifier', status: 'ok', model: 'small', reason: null },
    { use: 'extractor', status: 'ok', model: 'reader', reason: null },
    { use: 'agent', status: 'ok', model: 'large', reason: null },
  ]);
  expect(checks.map(({ message }) => message)).toEqual([
    'For "I would like my money back, please." it chose "the caller wants a refund" with confidence 0.9.',
    'From "My name is Ada, and we stay two nights." it read {"name":"Ada","nights":2}.',
    'It called the tool "goal_reached".',
  ]);
  expect((await auditedChecks())[0]).toEqual({ ok: true });
});

describe('says what is wrong', () => {
  test.each<[Use, GatewayAnswer, string]>([
    ['classifier', 401, 'unauthorized'],
    ['classifier', { choice: 'none' }, 'wrong_answer'],
    ['classifier', { choice: 1 }, 'wrong_answer'],
    ['classifier', { choice: 7 }, 'unknown_branch'],
    ['extractor', { content: 'Ada, two nights' }, 'nonsense'],
    ['extractor', { values: { name: 'Ada' } }, 'wrong_answer'],
    ['extractor', { status: 404, error: { code: 'model_not_found', message: 'x' } }, 'model_not_found'],
    ['agent', { content: 'Hello Ada!' }, 'wrong_answer'],
    ['agent', 429, 'rate_limited'],
  ])('of the %s: %j is %s', async (use, answer, reason) => {
    answers = { ...right, [use]: answer };
    const { ok, checks } = await check();
    expect(ok).toBe(false);
    const [failed, ...others] = checks.filter(({ status }) => status !== 'ok');
    expect([failed, others]).toMatchObject([{ use, status: 'failed', reason }, []]);
    if (reason in failureTexts) expect(failed!.message).toBe(failureTexts[reason as 'unauthorized']);
  });
});

test('one check of an organisation at a time', async () => {
  answers = { ...right, classifier: 'hang' };
  const first = check();
  await gateway.chatted(gateway.chats.length + 3);
  const second = await flows.api.post('/v1/gateway/check', {}).expect(429);
  expect(second.body).toMatchObject({ code: 'concurrency_limited' });
  expect(second.headers['retry-after']).toBeDefined();
  expect((await first).checks[0]).toMatchObject({ status: 'failed', reason: 'timeout' });
}, 40_000);

test('needs the scope admin', async () => {
  const reader = flows.as(await flows.issueKey('acme', ['read', 'write']));
  await reader.post('/v1/gateway/check', {}).expect(403);
});

test('without a provider nothing is asked', async () => {
  const alone = await startFlowBuilder();
  try {
    const { ok, checks } = await check(alone.api);
    expect(ok).toBe(false);
    expect(checks.map(({ status, model }) => [status, model])).toEqual([
      ['not_configured', null],
      ['not_configured', null],
      ['not_configured', null],
    ]);
  } finally {
    await alone.stop();
  }
});
