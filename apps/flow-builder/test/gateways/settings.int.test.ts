// Model settings of an organisation: which provider, model and key a turn uses, the fallback, the
// budget, and who reads what.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually, fakeGateway, type FakeGateway } from '@parley/testing';
import { tendAlerts } from '@parley/platform/alerts';
import { BUDGET_ALERT_ENDINGS } from '../../src/gateways/settings-table.ts';
import { startFlowBuilder, type FlowBuilder } from '../service.ts';

const KEY = 'sk-CANARY-of-acme';
const KEY_OF_SECOND = 'sk-CANARY-of-the-fallback';
const PATH = '/v1/gateway/settings';

let shared: FakeGateway;
let own: FakeGateway;
let second: FakeGateway;
let flows: FlowBuilder;

const branches = (model?: string) => ({
  nodes: [
    ...(model === undefined ? [] : [{ id: 'all', type: 'global', model }]),
    { id: 'ask', type: 'collect', prompt: 'What do you need?', variable: 'need' },
    { id: 'sort', type: 'branch' },
    { id: 'sales', type: 'end', message: 'Sales' },
    { id: 'other', type: 'end', message: 'Other' },
  ],
  edges: [
    { source: 'ask', target: 'sort' },
    { source: 'sort', target: 'sales', nl: 'wants to buy something' },
    { source: 'sort', target: 'other', default: true },
  ],
  start: 'ask',
});
const costing = (prompt_tokens: number) => ({
  body: JSON.stringify({
    choices: [{ finish_reason: 'stop', message: { content: '{"choice":"0","confidence":0.9}' } }],
    usage: { prompt_tokens, completion_tokens: 0 },
  }),
});
const provider = (gateway: FakeGateway, key = KEY, classifier = 'mine') => ({
  kind: 'litellm',
  url: gateway.url,
  key,
  models: { classifier },
});

beforeAll(async () => {
  [shared, own, second] = await Promise.all([
    fakeGateway({ fallback: { choice: 0 } }),
    fakeGateway({ key: KEY, fallback: ({ model }) => (model === 'slow' ? 'hang' : { choice: 0 }) }),
    fakeGateway({ key: KEY_OF_SECOND, fallback: { choice: 0 } }),
  ]);
  flows = await startFlowBuilder({
    GATEWAY_URL: shared.url,
    CLASSIFIER_MODEL: 'small',
    CLASSIFIER_TIMEOUT: '10',
    GATEWAY_PRICES: 'small=2/8,spare=1/1',
    OUTBOUND_ALLOW: '127.0.0.1',
  });
});
afterEach(() => {
  for (const gateway of [shared, own, second]) gateway.chats.length = 0;
});
afterAll(async () => {
  await flows.stop();
  await Promise.all([shared, own, second].map((gateway) => gateway.close()));
  expect(flows.log.text()).not.toContain('CANARY');
});

type Api = FlowBuilder['api'];
interface Turn {
  readonly next_node: string | null;
  readonly outputs: { text: string }[];
  readonly trace: object;
}

async function organization(id: string, model?: string) {
  const api = flows.as(await flows.issueKey(id));
  await api.post('/v1/flows', { flow_id: 'branches', definition: branches(model) }).expect(201);
  const turn = { session_id: 's-1', user_input: 'a car', current_node: 'ask' };
  return {
    id,
    api,
    choose: async () =>
      (await api.post('/v1/flows/branches/execute?trace=true', turn).expect(200)).body as Turn,
  };
}

const said = ({ outputs }: Turn) => outputs.map(({ text }) => text).join();
const put = async (api: Api, body: object) => (await api.put(PATH, body).expect(200)).body as object;
const openAlerts = async (api: Api, kind: string) =>
  ((await api.get(`/v1/alerts?status=open&kind=${kind}`).expect(200)).body as { items: object[] }).items;

describe('the provider of a turn', () => {
  test('is that of the organisation, with its key and model, and of nobody else', async () => {
    const acme = await organization('own');
    const globex = await organization('without');
    await put(acme.api, { provider: provider(own) });
    expect(said(await acme.choose())).toBe('Sales');
    expect(own.chats).toMatchObject([{ model: 'mine', authorization: `Bearer ${KEY}` }]);
    expect(shared.chats).toEqual([]);
    expect(said(await globex.choose())).toBe('Sales');
    expect([own.chats.length, shared.chats]).toMatchObject([1, [{ model: 'small' }]]);
  });

  test('is that of the deployment again after the settings are deleted, at once', async () => {
    const { api, choose } = await organization('deleted');
    await put(api, { provider: provider(own) });
    await api.delete(PATH).expect(200);
    expect((await api.delete(PATH).expect(200)).body).toMatchObject({ provider: null, updated_at: null });
    await choose();
    expect([own.chats.length, shared.chats.length]).toEqual([0, 1]);
  });

  test('is dropped by other replicas', async () => {
    const { id, choose } = await organization('replicas');
    await choose();
    // As another replica does: the row changes, and only the notice tells.
    await flows.deps.transact(async (sql) => {
      await sql(
        `INSERT INTO model_settings (id, organization_id, provider, prices, updated_at, updated_by)
         VALUES ('mst_x', $1, $2::jsonb, '{}', now(), 'x')`,
        [
          id,
          JSON.stringify({
            kind: 'other',
            url: second.url,
            models: { classifier: 'm', extractor: null, agent: null },
          }),
        ],
      );
      await sql(`SELECT pg_notify('parley_model_settings', $1)::text`, [id]);
    });
    await eventually(async () => {
      await choose();
      return second.chats.length > 0;
    });
  });

  test('a flow names a model of the settings; another one is an error at save', async () => {
    const { api, choose } = await organization('named');
    await put(api, { provider: provider(own), prices: { large: { input: 1, output: 1 } } });
    const definition = branches('large');
    await api.patch('/v1/flows/branches', { definition }).expect(200);
    await choose();
    expect(own.chats).toMatchObject([{ model: 'large' }]);
    const refused = await api
      .post('/v1/flows', { flow_id: 'unlisted', definition: branches('huge') })
      .expect(422);
    expect(refused.body).toMatchObject({
      code: 'flow_has_errors',
      validation: { errors: [{ code: 'model_unknown', path: '/nodes/0/model' }] },
    });
    // The price of another organisation's model opens nothing on the account of the operator.
    await put(api, { prices: { huge: { input: 1, output: 1 } } });
    await api.post('/v1/flows', { flow_id: 'unlisted', definition: branches('huge') }).expect(422);
    await api.post('/v1/flows', { flow_id: 'listed', definition: branches('spare') }).expect(201);
    // The flow names a model that is not listed any more.
    own.chats.length = 0;
    expect(said(await choose())).toBe('Other');
    expect([own.chats, shared.chats]).toEqual([[], []]);
  });

  test('a slow one holds up nobody else, even at the same host', async () => {
    const slow = await organization('slow');
    const quick = await organization('quick');
    await put(slow.api, { provider: provider(own, KEY, 'slow') });
    await put(quick.api, { provider: provider(own) });
    const hanging = Array.from({ length: 70 }, () => slow.choose());
    // Its connections are used up: the rest waits for one of these.
    await own.chatted(64);
    expect(said(await quick.choose())).toBe('Sales');
    await Promise.all(hanging);
  }, 60_000);
});

describe('the fallback', () => {
  test.each([
    ['refuses the key', 401, 'Sales'],
    ['fails', 500, 'Sales'],
    ['hangs', 'hang', 'Sales'],
    ['has no such model', { status: 404, error: { code: 'model_not_found', message: 'x' } }, 'Sales'],
    ['answers nonsense, which is the model', { content: 'hello' }, 'Other'],
  ] as const)(
    'answers once where the provider %s',
    async (why, failure, answer) => {
      const { api, choose } = await organization(`second-${why.replaceAll(/\W/g, '-')}`);
      await put(api, { provider: provider(own), fallback: provider(second, KEY_OF_SECOND, 'spare') });
      own.script(failure);
      expect(said(await choose())).toBe(answer);
      const calls = answer === 'Sales' ? [{ model: 'spare', authorization: `Bearer ${KEY_OF_SECOND}` }] : [];
      expect(second.chats).toMatchObject(calls);
      // The organisation whose calls hung above may have some left.
      const asked = own.chats.filter(({ model }) => model !== 'slow');
      expect([asked.length, second.chats.length]).toEqual([1, calls.length]);
    },
    30_000,
  );

  test('fails as well: the trace names the failure of the provider', async () => {
    const { api, choose } = await organization('both');
    await put(api, { provider: provider(own), fallback: provider(second, KEY_OF_SECOND) });
    own.script(402);
    second.script(500);
    const turn = await choose();
    expect(said(turn)).toBe('Other');
    expect(JSON.stringify(turn.trace)).toContain('"failure":"quota_exceeded"');
  });

  test('the operators of the organisation hear of a refused key', async () => {
    const { api, choose } = await organization('refused');
    await put(api, { provider: provider(own, 'sk-CANARY-wrong') });
    await choose();
    await eventually(async () => (await openAlerts(api, 'provider_refused')).length === 1);
  });
});

describe('the budget', () => {
  const budgeted = { provider: { kind: 'litellm', models: { classifier: 'mine' } } };
  const settings = (monthly_budget: number) => ({
    provider: { ...provider(own), ...budgeted.provider },
    prices: { mine: { input: 1, output: 1 } },
    monthly_budget,
  });
  const usage = async (api: Api) => (await api.get('/v1/gateway/usage').expect(200)).body as object;

  test('ends calls when it is used up, with a reason, alerts and a metric', async () => {
    const { id, api, choose } = await organization('budget');
    await put(api, settings(1));
    own.script(costing(850_000), costing(200_000));
    expect(said(await choose())).toBe('Sales');
    await eventually(async () => (await openAlerts(api, 'model_budget_low')).length === 1);
    expect(await usage(api)).toMatchObject({ monthly_budget: 1, budget_used_up: false });
    // One call may go beyond it.
    expect(said(await choose())).toBe('Sales');
    const refused = await choose();
    expect(said(refused)).toBe('Other');
    expect(JSON.stringify(refused.trace)).toContain('"failure":"budget_used_up"');
    expect(own.chats).toHaveLength(2);
    await eventually(async () => (await openAlerts(api, 'model_budget_used_up')).length === 1);
    expect(await usage(api)).toMatchObject({ budget_used_up: true, months: [{ cost: 1.05, calls: 2 }] });
    expect(await flows.deps.metrics.text()).toMatch(/reason="budget_used_up"/);
    // A higher one counts at once, and ends the alerts.
    await put(api, settings(10));
    expect(said(await choose())).toBe('Sales');
    await tendAlerts({ pool: flows.deps.pool, endings: BUDGET_ALERT_ENDINGS, send: async () => {} });
    expect(await openAlerts(api, 'model_budget_low')).toEqual([]);
    expect(await openAlerts(api, 'model_budget_used_up')).toEqual([]);
    // So does a lower one, with what was spent before.
    await put(api, settings(0.5));
    expect(said(await choose())).toBe('Other');
    await eventually(async () => (await openAlerts(api, 'model_budget_used_up')).length === 1);
    // It is that of a month: the next one begins at 0.
    await flows.deps.sql(
      "UPDATE model_usage SET month = (month - interval '1 month')::date WHERE organization_id = $1",
      [id],
    );
    await put(api, settings(0.5));
    expect(said(await choose())).toBe('Sales');
  });

  test('counts with the provider of the deployment too', async () => {
    const { api, choose } = await organization('budget-shared');
    await put(api, { monthly_budget: 0.001 });
    shared.script(costing(1_000));
    await choose();
    expect(said(await choose())).toBe('Other');
    expect(shared.chats).toHaveLength(1);
    // What is refused for one organisation's budget is no failure of the deployment.
    expect((await flows.api.get('/health').expect(200)).body).toMatchObject({ classifier: { ready: true } });
  });

  test('needs a price of every model', async () => {
    const { api } = await organization('unpriced');
    const refused = await api.put(PATH, { ...settings(1), prices: {} }).expect(400);
    expect(refused.body).toMatchObject({
      errors: [{ path: '/monthly_budget', message: 'needs a price of "mine" in `prices`' }],
    });
  });
});

describe('providers that flows name', () => {
  const flowProvider = (gateway: FakeGateway, key: string) => ({
    kind: 'litellm',
    url: gateway.url,
    key,
    models: ['mine', 'team/large'],
  });
  const settings = () => ({
    provider: provider(own),
    flow_providers: { billing: flowProvider(second, KEY_OF_SECOND) },
  });

  test('answer for their flow with their key; other flows stay with the provider', async () => {
    const { api, choose } = await organization('flow-provider');
    expect(await put(api, settings())).toMatchObject({
      flow_providers: { billing: { has_key: true, models: ['mine', 'team/large'] } },
      usable_models: ['billing/mine', 'billing/team/large', 'mine'],
    });
    for (const [id, model] of [
      ['a', 'billing/mine'],
      ['b', 'billing/team/large'],
    ] as const) {
      await api.post('/v1/flows', { flow_id: id, definition: branches(model) }).expect(201);
      const turn = { session_id: 's-1', user_input: 'a car', current_node: 'ask' };
      expect(said((await api.post(`/v1/flows/${id}/execute`, turn).expect(200)).body as Turn)).toBe('Sales');
    }
    expect(said(await choose())).toBe('Sales');
    expect(second.chats).toMatchObject([
      { model: 'mine', authorization: `Bearer ${KEY_OF_SECOND}` },
      { model: 'team/large', authorization: `Bearer ${KEY_OF_SECOND}` },
    ]);
    expect(own.chats).toMatchObject([{ model: 'mine', authorization: `Bearer ${KEY}` }]);
  });

  test('keep their key, are checked by themselves, and end with the settings', async () => {
    const { api } = await organization('flow-provider-keys');
    await put(api, settings());
    const keyless = { kind: 'litellm', url: second.url, models: ['mine'] };
    expect(await put(api, { provider: provider(own), flow_providers: { billing: keyless } })).toMatchObject({
      flow_providers: { billing: { has_key: true } },
    });
    const { checks } = (await api.post('/v1/gateway/check', {}).expect(200)).body as { checks: object[] };
    const checked = { provider: 'flow', use: 'classifier', model: 'billing/mine', status: 'ok' };
    expect(checks.at(-1)).toMatchObject(checked);
    const moved = { provider: provider(own), flow_providers: { billing: { ...keyless, url: own.url } } };
    expect((await api.put(PATH, moved).expect(400)).body).toMatchObject({
      errors: [{ path: '/flow_providers/billing/key' }],
    });
    const renamed = { provider: provider(own), flow_providers: { sales: keyless } };
    expect(await put(api, renamed)).toMatchObject({ flow_providers: { sales: { has_key: false } } });
    const rows = await flows.deps.sql<{ all: string }>(
      'SELECT to_json(one)::text AS all FROM model_providers AS one',
    );
    const audit = await api.get('/v1/audit-log?action=model_settings.changed').expect(200);
    expect(JSON.stringify([rows, audit.body])).not.toContain('CANARY');
    expect(audit.body).toMatchObject({
      items: [
        {},
        { details: { flow_provider_keys_changed: [] } },
        { details: { flow_provider_keys_changed: ['billing'] } },
      ],
    });
    await api.delete(PATH).expect(200);
    expect((await api.get(PATH).expect(200)).body).toMatchObject({ flow_providers: {} });
  });

  test('need a price with a budget, an address, and a name without a slash', async () => {
    const { api } = await organization('flow-provider-refused');
    const billing = flowProvider(second, KEY_OF_SECOND);
    const refused = async (body: object) => (await api.put(PATH, body).expect(400)).body as object;
    const priced = { ...settings(), prices: { mine: { input: 1, output: 1 } }, monthly_budget: 5 };
    expect(await refused(priced)).toMatchObject({
      errors: [{ message: 'needs a price of "team/large" in `prices`' }],
    });
    const inside = { flow_providers: { billing: { ...billing, url: 'https://10.0.0.1/v1' } } };
    expect(await refused(inside)).toMatchObject({ errors: [{ path: '/flow_providers/billing/url' }] });
    expect(await refused({ flow_providers: { 'a/b': billing } })).toMatchObject({
      errors: [{ path: '/flow_providers/a~1b' }],
    });
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, place) => [`p${place}`, billing]));
    expect(await refused({ flow_providers: many })).toMatchObject({ errors: [{ path: '/flow_providers' }] });
  });
});

describe('the settings', () => {
  test('show no key, and keep it for the same origin only', async () => {
    const { api, choose } = await organization('keys');
    const shown = await put(api, { provider: provider(own) });
    expect(shown).toMatchObject({
      provider: {
        kind: 'litellm',
        url: own.url,
        has_key: true,
        models: { classifier: 'mine', extractor: null, agent: null },
      },
      fallback: null,
      usable_models: ['mine'],
    });
    expect(JSON.stringify(shown)).not.toContain('CANARY');
    const { key: _key, ...keyless } = provider(own, KEY, 'other');
    await put(api, { provider: keyless });
    await choose();
    expect(own.chats).toMatchObject([{ model: 'other', authorization: `Bearer ${KEY}` }]);
    const moved = await api.put(PATH, { provider: { ...keyless, url: second.url } }).expect(400);
    expect(moved.body).toMatchObject({ errors: [{ path: '/provider/key' }] });
    expect(await put(api, { provider: { ...keyless, url: second.url, key: null } })).toMatchObject({
      provider: { has_key: false },
    });
    const rows = await flows.deps.sql<{ all: string }>(
      'SELECT model_settings::text AS all FROM model_settings',
    );
    const audit = await api.get('/v1/audit-log?action=model_settings.changed').expect(200);
    expect(JSON.stringify([rows, audit.body])).not.toContain('CANARY');
    expect(audit.body).toMatchObject({
      items: [{ details: { provider_key_changed: true } }, { details: { provider_key_changed: false } }, {}],
    });
  });

  test.each<[string, object, string]>([
    ['http', { kind: 'other', url: 'http://models.example.com/v1' }, '/provider/url'],
    ['an address in the network', { kind: 'other', url: 'https://10.0.0.1/v1' }, '/provider/url'],
    ['a name in the network', { kind: 'other', url: 'https://vllm.internal/v1' }, '/provider/url'],
    ['a password', { kind: 'other', url: 'https://me:pass@models.example.com/v1' }, '/provider/url'],
    ['no address', { kind: 'vllm' }, '/provider/url'],
    ['an unknown kind', { kind: 'nobody' }, '/provider/kind'],
    ['a key with a line break', { kind: 'openai', key: 'a\nb' }, '/provider/key'],
  ])('refuse %s', async (_what, sent, path) => {
    const body = { provider: { models: { classifier: 'm' }, ...sent } };
    const refused = await flows.api.put(PATH, body).expect(400);
    expect(refused.body).toMatchObject({ errors: [{ path }] });
  });

  test('know the addresses of providers that have one', async () => {
    const { api } = await organization('kinds');
    expect(
      await put(api, { provider: { kind: 'openai', key: 'sk-x', models: { classifier: 'gpt-4.1-mini' } } }),
    ).toMatchObject({ provider: { url: 'https://api.openai.com/v1' } });
  });

  test('are tried by the check, provider and fallback each', async () => {
    const { api } = await organization('checked');
    await put(api, { provider: provider(own, 'sk-CANARY-wrong'), fallback: provider(second, KEY_OF_SECOND) });
    const reply = await api.post('/v1/gateway/check', {}).expect(200);
    const { ok, checks } = reply.body as { ok: boolean; checks: { provider: string; use: string }[] };
    expect(ok).toBe(false);
    expect(checks.filter(({ use }) => use === 'classifier')).toMatchObject([
      { provider: 'organization', status: 'failed', reason: 'unauthorized' },
      { provider: 'fallback', status: 'ok' },
    ]);
  });
});
