import { beforeEach, expect, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { SERVICES } from '../api/clients.ts';
import { openAt, type Answers } from './page-under-test.tsx';

const ALL = { services: [...SERVICES], services_here: [...SERVICES] };
const enveloped = (data: object) => ({ success: true, data, meta: {} });
const list = (items: readonly object[]) => enveloped({ items, next_cursor: null, has_more: false });

const agent = (more: object = {}) => ({
  id: 'bot_1',
  name: 'Front desk',
  description: null,
  status: 'active',
  flow_id: 'greeting',
  flow_version: null,
  language: 'de',
  voice: { provider: 'acme', voice_id: 'anna', speed: 1 },
  model: { provider: null, name: null, temperature: null },
  transcriber: { provider: null, model: null },
  system_prompt: null,
  first_message: null,
  max_duration_seconds: 1800,
  silence_timeout_seconds: null,
  interruptible: true,
  recording: 'full',
  tags: [],
  metadata: {},
  version: 2,
  created_at: '2026-11-20T10:00:00Z',
  updated_at: '2026-11-21T10:00:00Z',
  ...more,
});
const first = agent({ version: 1, language: 'en', name: 'Reception' });
const flow = { flow_id: 'greeting', name: 'Greeting', latest_version: 3, published_version: 3 };
const figures = (more: object = {}) => ({
  conversations: 40,
  completion_rate: 0.7,
  error_rate: 0.3,
  duration: { p50: 61 },
  groups: [],
  ...more,
});
/** As every service says it: only the voice API wraps it in `data`. */
const ownKey = (scope: string, ...bot_ids: string[]) => ({
  scopes: [scope],
  ...enveloped({ scopes: [scope], bot_ids }),
});

const answers = (more: Answers = {}): Answers => ({
  'GET /v1/api-keys/me': () => ownKey('admin'),
  'GET /v1/bots': () => list([agent()]),
  'GET /v1/bots/bot_1/versions': () => list([agent(), first]),
  'GET /v1/flows': () => ({ items: [flow], next_cursor: null }),
  'GET /v1/analytics/performance': ({ query }) =>
    enveloped({
      totals: figures({
        groups:
          query.get('group_by') === 'bot_id'
            ? [{ ...figures(), key: 'bot_1' }]
            : [{ ...figures({ conversations: 12 }), key: 'tts_failed' }],
      }),
    }),
  'GET /v1/conversations': () => list([]),
  'GET /v1/webhooks': () => list([]),
  ...more,
});
const open = (address: string, more: Answers = {}) => openAt(address, answers(more), ALL);

beforeEach(() => localStorage.clear());

test('lists agents with their flow by name and why they are unhealthy', async () => {
  open('/agents');
  const row = (await screen.findByRole('link', { name: 'Front desk' })).closest('tr')!;
  await within(row).findByText('Failing');
  within(row).getByText('30 % of 40 calls failed');
  within(row).getByRole('link', { name: 'Greeting' });
  within(row).getByText('published v3');
  within(row).getByText('German');
});

test('a key without the scope is not offered what it may not do', async () => {
  open('/agents/bot_1', { 'GET /v1/api-keys/me': () => ownKey('read') });
  await screen.findByRole('heading', { name: 'Front desk' });
  await screen.findByText('tts failed');
  for (const name of ['Pause agent', 'Archive agent'])
    expect(screen.queryByRole('button', { name })).toBeNull();
});

test('the scope admin implies the others', async () => {
  open('/agents/bot_1', { 'GET /v1/api-keys/me': () => ownKey('admin') });
  for (const name of ['Pause agent', 'Archive agent']) await screen.findByRole('button', { name });
});

test('a key bound to bots cannot create one', async () => {
  open('/agents', { 'GET /v1/api-keys/me': () => ownKey('write', 'bot_1') });
  await screen.findByText('Failing');
  expect(screen.queryByRole('button', { name: 'Create agent' })).toBeNull();
});

test('creates an agent with a flow and a language that were picked by name', async () => {
  const { user, bodies, address } = open('/agents', {
    'GET /v1/bots': () => list([]),
    'POST /v1/bots': () => enveloped(agent()),
  });
  await user.click((await screen.findAllByRole('button', { name: 'Create agent' }))[0]!);
  const dialog = await screen.findByRole('dialog');
  await user.type(within(dialog).getByLabelText('Name'), 'Front desk');
  await user.type(within(dialog).getByRole('combobox', { name: 'Flow' }), 'gree');
  await user.click(await screen.findByRole('option', { name: /^Greeting/ }));
  const language = within(dialog).getByRole('combobox', { name: 'Language' });
  await user.clear(language);
  await user.type(language, 'germ');
  await user.click(await screen.findByRole('option', { name: 'German (de)' }));
  await user.click(within(dialog).getByRole('button', { name: 'Create agent' }));
  await waitFor(() => expect(address()).toBe('/agents/bot_1'));
  expect(bodies('POST /v1/bots')).toEqual([{ name: 'Front desk', flow_id: 'greeting', language: 'de' }]);
});

test('shows figures, failures by reason, and where to read them', async () => {
  open('/agents/bot_1');
  await screen.findByText('1 m 1 s');
  const link = await screen.findByRole('link', { name: '12 calls' });
  expect(link.getAttribute('href')).toContain('error_code=tts_failed');
  expect(link.getAttribute('href')).toContain('bot_id=bot_1');
});

test('restores the settings of a version and leaves the status', async () => {
  const { user, bodies } = open('/agents/bot_1?tab=versions', {
    'PATCH /v1/bots/bot_1': () => enveloped(agent({ version: 3 })),
  });
  await user.click(await screen.findByRole('button', { name: 'Restore version 1' }));
  const dialog = await screen.findByRole('alertdialog');
  within(dialog).getByText('Reception');
  await user.click(within(dialog).getByRole('button', { name: 'Restore version' }));
  await screen.findByText('Version 1 restored as version 3');
  const [body] = bodies('PATCH /v1/bots/bot_1');
  expect(body).toMatchObject({ name: 'Reception', language: 'en', flow_id: 'greeting' });
  for (const member of ['status', 'id', 'version', 'created_at', 'updated_at'])
    expect(body).not.toHaveProperty(member);
});

test('saves only what was changed', async () => {
  const { user, bodies } = open('/agents/bot_1?tab=settings', {
    'PATCH /v1/bots/bot_1': () => enveloped(agent({ version: 3 })),
  });
  const prompt = await screen.findByLabelText('First message');
  await user.type(prompt, 'Hi');
  await user.click(screen.getByRole('button', { name: 'Save version' }));
  await screen.findByText('Version 3 saved');
  expect(bodies('PATCH /v1/bots/bot_1')).toEqual([{ first_message: 'Hi' }]);
});

test('an archived agent opens from its versions and can be restored', async () => {
  const archived = agent({ status: 'archived', version: 3 });
  const { user, bodies } = open('/agents/bot_1', {
    'GET /v1/bots/bot_1/versions': () => list([archived, agent(), first]),
    'POST /v1/bots/bot_1/restore': () => enveloped(agent({ status: 'paused', version: 4 })),
  });
  await screen.findByText('Archived');
  await user.click(await screen.findByRole('button', { name: 'Restore agent' }));
  await screen.findByText('Agent restored. It is paused.');
  expect(bodies('POST /v1/bots/bot_1/restore')).toHaveLength(1);
});

const turn = (more: object) => ({
  flow_id: 'greeting',
  version: 3,
  session_id: 's',
  status: 'waiting',
  next_node: 'ask',
  outputs: [],
  actions: [],
  variables: {},
  input: null,
  steps: 1,
  ...more,
});
const says = (text: string) => [{ type: 'message', node_id: 'n', text }];

test('talks to the agent, answers a tool, and ends', async () => {
  const turns = [
    turn({ outputs: says('Your number?'), variables: { a: 1 } }),
    turn({
      status: 'waiting_for_tool',
      next_node: 'look',
      actions: [{ type: 'tool', node_id: 'look', tool: 'find_order', call_id: 'c1' }],
    }),
    turn({ status: 'completed', next_node: null, outputs: says('On its way.') }),
  ];
  const { user, bodies } = open('/agents/bot_1?tab=talk', {
    'POST /v1/flows/greeting/execute': () => turns.shift()!,
  });
  await user.click(await screen.findByRole('button', { name: 'Start conversation' }));
  await screen.findByText('Your number?');
  screen.getByText(/This browser cannot recognise speech/);
  await user.type(screen.getByLabelText('What the caller says'), '42{Enter}');
  await screen.findByText('The platform would call the tool find_order.');
  await user.click(screen.getByRole('button', { name: 'Send result' }));
  await screen.findByText('On its way.');
  await screen.findByText('The conversation is over.');
  const [opening, said, result] = bodies('POST /v1/flows/greeting/execute');
  expect(opening).not.toHaveProperty('bot_id');
  expect(said).toMatchObject({ current_node: 'ask', variables: { a: 1 }, user_input: '42' });
  expect(result).toMatchObject({ current_node: 'look', tool_result: { call_id: 'c1', result: {} } });
});

test('connects a platform with the address that was entered', async () => {
  const { user } = open('/agents/bot_1?tab=connect&platform=pipecat');
  await user.type(await screen.findByLabelText('Address of your flow builder'), 'https://f.example/');
  const code = screen.getByRole('region', { name: 'the snippet for Pipecat' });
  expect(code.textContent).toContain('base_url="https://f.example/openai/v1"');
  expect(code.textContent).toContain('model="greeting"');
  await screen.findByRole('link', { name: 'Create a key' });
});
