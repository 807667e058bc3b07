import { expect, test } from '@jest/globals';
import { fireEvent, screen, within } from '@testing-library/react';
import { openAt } from './page-under-test.tsx';

const NONE = {
  provider: null,
  fallback: null,
  flow_providers: {},
  prices: {},
  monthly_budget: null,
  usable_models: [],
  updated_at: null,
  updated_by: null,
};
const MONTH = new Date().toISOString().slice(0, 7);
const USED = { calls: 3, tokens_in: 1_200, tokens_out: 80, cost: 12.5, unpriced_calls: 1 };
const ANSWERS = {
  'GET /v1/gateway/settings': () => NONE,
  'GET /v1/gateway/usage': () => ({
    months: [
      { month: MONTH, ...USED },
      { month: '2020-01', ...USED, cost: 7.25 },
    ],
    monthly_budget: 50,
    budget_used_up: false,
  }),
};
const FLOWS: Parameters<typeof openAt>[2] = { services: ['flow-builder'], services_here: ['flow-builder'] };
const field = (name: string | RegExp) => screen.findByLabelText(name);

test('sets provider, model, key, price and budget, and shows what was stored', async () => {
  const stored = {
    ...NONE,
    provider: {
      kind: 'vllm',
      url: 'https://models.example.com/v1',
      has_key: true,
      models: { classifier: 'small', extractor: null, agent: null },
    },
    updated_at: 1_793_000_000,
  };
  const { user, bodies } = openAt('/models', { ...ANSWERS, 'PUT /v1/gateway/settings': () => stored }, FLOWS);
  await user.selectOptions(await field('Who runs your models'), 'vLLM');
  await user.type(await field('Base URL'), 'https://models.example.com/v1');
  await user.type(await field('API key'), 'sk-1');
  await user.type(await field('Decisions'), 'small');
  await user.type(await field('Price of input of small'), '0.5');
  await user.type(await field('Price of output of small'), '2');
  await user.type(await field('Monthly budget'), '100');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('A key is stored. Leave empty to keep it, or enter a new one');
  expect(bodies('PUT /v1/gateway/settings')).toEqual([
    {
      provider: {
        kind: 'vllm',
        url: 'https://models.example.com/v1',
        key: 'sk-1',
        models: { classifier: 'small', extractor: null, agent: null },
      },
      fallback: null,
      flow_providers: {},
      prices: { small: { input: 0.5, output: 2 } },
      monthly_budget: 100,
    },
  ]);
  expect((await field('API key')).getAttribute('value')).toBe('');
});

test('adds an account for single flows, under a name that no other one has', async () => {
  const stored = { kind: 'openai', url: 'https://api.openai.com/v1', has_key: true, models: ['small'] };
  const settings = { ...NONE, flow_providers: { billing: stored }, updated_at: 1_793_000_000 };
  const answers = {
    ...ANSWERS,
    'GET /v1/gateway/settings': () => settings,
    'PUT /v1/gateway/settings': () => settings,
  };
  const { user, bodies } = openAt('/models', answers, FLOWS);
  await user.click(await screen.findByRole('button', { name: 'Add account' }));
  const added = within(screen.getByRole('group', { name: 'New account' }));
  const name = added.getByLabelText('Name');
  await user.type(name, 'billing');
  expect((name as HTMLInputElement).validationMessage).toBe('Another account has this name');
  await user.clear(name);
  await user.type(name, 'sales');
  const account = within(screen.getByRole('group', { name: 'sales' }));
  await user.type(account.getByLabelText('API key'), 'sk-2');
  await user.type(account.getByLabelText('Models'), 'small{Enter} large ');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Model settings saved');
  expect(bodies('PUT /v1/gateway/settings')).toMatchObject([
    {
      flow_providers: {
        billing: { kind: 'openai', url: null, models: ['small'] },
        sales: { kind: 'openai', url: null, key: 'sk-2', models: ['small', 'large'] },
      },
    },
  ]);
});

test('marks the field that the service refuses', async () => {
  const refuse = () =>
    Response.json(
      {
        code: 'invalid_request',
        detail: 'the request is not valid',
        errors: [{ path: '/provider/url', message: 'must be public' }],
      },
      { status: 400 },
    );
  const { user } = openAt('/models', { ...ANSWERS, 'PUT /v1/gateway/settings': refuse }, FLOWS);
  await user.selectOptions(await field('Who runs your models'), 'OpenAI');
  await user.type(await field('Decisions'), 'small');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByRole('alert');
  expect((await field('Base URL')).getAttribute('aria-invalid')).toBe('true');
  expect((await field('API key')).getAttribute('aria-invalid')).toBe('false');
});

test('shows the usage of this month beside the budget, and earlier months', async () => {
  openAt('/models', ANSWERS, FLOWS);
  await screen.findByText('12.50');
  expect(screen.getByText('of 50.00')).toBeTruthy();
  expect(screen.getByRole('meter').getAttribute('aria-valuenow')).toBe('25');
  expect(screen.getByText(/^1 of the calls have no known cost/)).toBeTruthy();
  const earlier = within(screen.getByRole('table', { hidden: true, name: '' }));
  for (const text of ['January 2020', '7.25']) expect(earlier.getByText(text)).toBeTruthy();
});

test('says that the budget is used up, and what flows do then', async () => {
  const usage = { ...ANSWERS['GET /v1/gateway/usage'](), monthly_budget: 10, budget_used_up: true };
  openAt('/models', { ...ANSWERS, 'GET /v1/gateway/usage': () => usage }, FLOWS);
  expect((await screen.findByRole('alert')).textContent).toMatch(/take their default branches/);
});

test('deletes the settings after a question', async () => {
  const set = { ...NONE, monthly_budget: 5, updated_at: 1_793_000_000 };
  const answers = {
    ...ANSWERS,
    'GET /v1/gateway/settings': () => set,
    'DELETE /v1/gateway/settings': () => NONE,
  };
  const { user } = openAt('/models', answers, FLOWS);
  await user.click(await screen.findByRole('button', { name: 'Delete settings' }));
  const question = within(await screen.findByRole('alertdialog'));
  await user.click(question.getByRole('button', { name: 'Delete settings' }));
  await screen.findByText('Model settings deleted');
  expect((await field('Monthly budget')).getAttribute('value')).toBe('');
  expect(screen.queryByRole('button', { name: 'Delete settings' })).toBeNull();
});

test('tells a key without the scope admin what it lacks', async () => {
  const refuse = () =>
    Response.json({ code: 'forbidden', detail: 'needs admin', errors: [] }, { status: 403 });
  openAt('/models', { ...ANSWERS, 'GET /v1/gateway/settings': refuse }, FLOWS);
  await screen.findByText('Models are for administrators');
});

test('checks the model provider, and shows what came back for each use', async () => {
  const checks = [
    {
      provider: 'organization',
      use: 'classifier',
      status: 'ok',
      model: 'small',
      ms: 12,
      reason: null,
      message: 'It chose.',
    },
    {
      provider: 'fallback',
      use: 'extractor',
      status: 'failed',
      model: 'reader',
      ms: 5,
      reason: 'timeout',
      message: 'Too late.',
    },
    {
      provider: 'organization',
      use: 'agent',
      status: 'not_configured',
      model: null,
      ms: null,
      reason: null,
      message: 'Not set.',
    },
  ];
  const answers = { ...ANSWERS, 'POST /v1/gateway/check': () => ({ ok: false, checks }) };
  openAt('/models', answers, FLOWS);
  fireEvent.click(await screen.findByRole('button', { name: 'Check model provider' }));
  const uses = within(await screen.findByRole('list', { name: 'Model provider' })).getAllByRole('listitem');
  expect(uses.map(({ textContent }) => textContent)).toEqual([
    'Decisions works small, 12 msIt chose.',
    'Answers, fallback fails reader, 5 msToo late.',
    'AI agents not configured Not set.',
  ]);
});
