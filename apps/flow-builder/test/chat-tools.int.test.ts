// Messages of tool calls as platforms send them (docs/openai.md#tools): none of their words is
// taken for a result, and a tool that still runs keeps the flow waiting.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { toolMessages } from './platforms/tool-messages.ts';
import { startFlowBuilder, type FlowBuilder } from './service.ts';

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
  await flows.api.post('/v1/flows', { flow_id: 'booking', definition: booking }).expect(201);
  await flows.api.post('/v1/flows/booking/publish').expect(200);
});
afterAll(() => flows.stop());

const booking = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'How many?', variable: 'people', cast: 'integer' },
    {
      id: 'book',
      type: 'tool',
      tool: 'book',
      args: { people: '{{ people }}' },
      output_var: 'table',
      wait_for_result: true,
    },
    { id: 'done', type: 'end', message: 'Table {{ table.name }}.' },
    { id: 'plain', type: 'end', message: 'Booked.' },
    { id: 'sorry', type: 'end', message: 'Failed: {{ _tool_error }}.' },
    { id: 'any', type: 'trigger', on: 'any_turn', answers_question: true },
    { id: 'help', type: 'message', text: 'We open at nine.' },
    { id: 'back', type: 'end', message: 'One moment.', resume: true },
  ],
  edges: [
    { source: 'ask', target: 'book' },
    {
      source: 'book',
      target: 'plain',
      all: [
        { variable: '_tool_status', value: 'ok' },
        { variable: 'table', op: 'not_exists' },
      ],
    },
    { source: 'book', target: 'done', variable: '_tool_status', op: 'eq', value: 'ok' },
    { source: 'book', target: 'sorry', default: true },
    { source: 'any', target: 'ask', variable: 'user_input', op: 'contains', value: 'wait' },
    { source: 'any', target: 'help', variable: 'user_input', op: 'contains', value: 'open' },
    { source: 'help', target: 'back' },
  ],
};

interface Completion {
  readonly choices: readonly {
    readonly message: { readonly content: string | null; readonly tool_calls?: { readonly id: string }[] };
    readonly finish_reason: string;
  }[];
  readonly parley: { readonly status: string; readonly ignored_parts?: number };
}
type Message = Readonly<Record<string, unknown>>;

async function send(session: string, messages: readonly Message[]) {
  const body = { model: 'booking', messages, metadata: { session_id: session } };
  const { choices, parley } = (await flows.api.post('/openai/v1/chat/completions', body).expect(200))
    .body as Completion;
  const { message, finish_reason } = choices[0]!;
  return { content: message.content, calls: message.tool_calls ?? [], finish_reason, parley };
}

const user = (content: string): Message => ({ role: 'user', content });
const assistant: Message = { role: 'assistant', content: '…' };

/** The messages up to the call, with its id. */
async function call(session: string) {
  const messages = [user('hello'), assistant, user('four')];
  const { calls } = await send(session, messages);
  const id = calls[0]!.id;
  const made = { role: 'assistant', content: null, tool_calls: [{ id, type: 'function' }] };
  const of = (message: Message): Message =>
    JSON.parse(JSON.stringify(message).replaceAll('CALL', id)) as Message;
  return { id, messages: [...messages, made], of };
}

test.each(toolMessages)('$name', async ({ name, message, says }) => {
  const { messages, of } = await call(`tool ${name}`);
  const answer = await send(`tool ${name}`, [...messages, of(message)]);
  if (says === null)
    expect(answer).toMatchObject({
      content: '',
      calls: [],
      finish_reason: 'stop',
      parley: { status: 'waiting_for_tool' },
    });
  else expect(answer).toMatchObject({ content: says, finish_reason: 'end' });
});

test('what the caller says while the tool runs calls a command, which goes back to the tool', async () => {
  const { messages, of } = await call('command');
  const running = [...messages, of({ role: 'tool', tool_call_id: 'CALL', content: 'IN_PROGRESS' })];
  const asked = [...running, user('when do you open?')];
  expect(await send('command', asked)).toMatchObject({ content: 'We open at nine.\nOne moment.', calls: [] });
  // The next words come without a message of the tool: it still runs.
  const waiting = [...asked, assistant, user('thanks')];
  expect(await send('command', waiting)).toMatchObject({
    content: '',
    parley: { status: 'waiting_for_tool' },
  });
  const final = { type: 'async_tool', status: 'finished', tool_call_id: 'CALL', result: 'RESULT' };
  const late = of({ role: 'developer', content: JSON.stringify(final) });
  const result = {
    ...late,
    content: String(late['content']).replace('"RESULT"', JSON.stringify('{"name":"six"}')),
  };
  expect(await send('command', [...waiting, result])).toMatchObject({ content: 'Table six.' });
});

test('a correction calls the tool again, and the result of the first call no longer counts', async () => {
  const { id, messages, of } = await call('correction');
  const corrected = [
    ...messages,
    of({ role: 'tool', tool_call_id: 'CALL', content: '"IN_PROGRESS"' }),
    user('wait, five people'),
  ];
  const again = await send('correction', corrected);
  expect(again.calls).toHaveLength(1);
  const second = again.calls[0]!.id;
  expect(second).not.toBe(id);
  const both = [
    ...corrected,
    { role: 'assistant', tool_calls: again.calls },
    { role: 'tool', tool_call_id: second, content: 'IN_PROGRESS' },
    of({ role: 'tool', tool_call_id: 'CALL', content: '{"name":"four"}' }),
  ];
  expect(await send('correction', both)).toMatchObject({ content: '', calls: [] });
  const done = [...both, { role: 'tool', tool_call_id: second, content: '{"name":"five"}' }];
  expect(await send('correction', done)).toMatchObject({ content: 'Table five.' });
});

test('images and audio are ignored, with a note', async () => {
  const picture = { type: 'image_url', image_url: { url: 'https://a.test/x.png' } };
  const sound = { type: 'input_audio', input_audio: { data: '', format: 'wav' } };
  const words = { type: 'text', text: 'hello' };
  const answer = await send('parts', [{ role: 'user', content: [picture, words, sound] }]);
  expect(answer).toMatchObject({ content: 'How many?', parley: { ignored_parts: 2 } });
});

test('execute and simulate know a tool that still runs', async () => {
  const execute = (body: object) => flows.api.post('/v1/flows/booking/execute', { session_id: 'x', ...body });
  const first = (await execute({ current_node: 'ask', user_input: 'four' }).expect(200)).body as {
    variables: object;
    actions: { call_id: string }[];
  };
  const brought = { current_node: 'book', variables: first.variables };
  const call_id = first.actions[0]!.call_id;
  const waiting = await execute({ ...brought, tool_result: { call_id, pending: true } }).expect(200);
  expect(waiting.body).toMatchObject({
    status: 'waiting_for_tool',
    next_node: 'book',
    actions: [],
    outputs: [],
  });
  await execute({ ...brought, tool_result: { call_id, pending: true, result: 1 } }).expect(400);
});
