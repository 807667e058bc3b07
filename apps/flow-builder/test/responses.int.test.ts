// POST /openai/v1/responses as clients of the Responses API use it: OpenAI's official client talks
// to flows (docs/openai.md#responses).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import OpenAI from 'openai';
import type { Response, ResponseInputItem, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { responseRequests } from './platforms/response-requests.ts';
import { toolMessages } from './platforms/tool-messages.ts';
import { greeting, publishFlows, startFlowBuilder, type FlowBuilder } from './service.ts';

let flows: FlowBuilder;
let openai: OpenAI;

beforeAll(async () => {
  flows = await startFlowBuilder();
  openai = new OpenAI({ apiKey: flows.key, baseURL: `${flows.server.url}/openai/v1`, maxRetries: 0 });
  await publishFlows(flows, { greeting, booking });
});
afterAll(() => flows.stop());

const booking = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'How many?', variable: 'people', cast: 'integer' },
    { id: 'wait', type: 'message', text: 'A moment.' },
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
    { id: 'quiet', type: 'tool', tool: 'silent', wait_for_result: true },
  ],
  edges: [
    { source: 'ask', target: 'quiet', variable: 'people', op: 'eq', value: 0 },
    { source: 'ask', target: 'wait', default: true },
    { source: 'wait', target: 'book' },
    { source: 'quiet', target: 'plain' },
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
    { source: 'any', target: 'ask', variable: 'user_input', op: 'contains', value: 'change' },
  ],
};

interface Parley {
  readonly session_id: string | null;
  readonly turn: number;
  readonly status: string;
  readonly ignored_parts?: number;
}
const parleyOf = (from: object) => (from as { parley: Parley }).parley;

const user = (content: string): ResponseInputItem => ({ role: 'user', content });

/** Sends the whole conversation in each request, with the items of the answers. */
function converse(model: string, session: string) {
  const input: ResponseInputItem[] = [];
  return {
    input,
    say: async (...items: ResponseInputItem[]): Promise<Response> => {
      input.push(...items);
      const answer = await openai.responses.create({ model, input, metadata: { session_id: session } });
      input.push(...(answer.output as ResponseInputItem[]));
      return answer;
    },
  };
}

async function collect(model: string, input: string | ResponseInputItem[], session: string) {
  const metadata = { session_id: session };
  const stream = await openai.responses.create({ model, input, metadata, stream: true });
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe('a conversation', () => {
  test('is held turn by turn, until the flow has ended', async () => {
    const chat = converse('greeting', 'call-1');
    const first = await chat.say({ role: 'user', content: [{ type: 'input_text', text: 'hello' }] });
    expect(first).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'greeting',
      error: null,
      output: [{ type: 'message', role: 'assistant', status: 'completed' }],
      output_text: 'Hello.\nWho are you?',
      usage: { total_tokens: 0 },
    });
    expect(first.id).toMatch(/^resp_/);
    expect(parleyOf(first)).toEqual({
      flow_id: 'greeting',
      version: 1,
      session_id: 'call-1',
      turn: 1,
      status: 'waiting',
      next_node: 'ask',
      actions: [],
    });
    const last = await chat.say(user('Ada'));
    expect(last.output_text).toBe('Goodbye, Ada.');
    expect(parleyOf(last)).toMatchObject({ status: 'completed', turn: 2 });
    const over = await chat.say(user('bye'));
    expect(over.output).toMatchObject([{ type: 'message', content: [{ type: 'output_text', text: '' }] }]);
    expect(parleyOf(over)).toMatchObject({ status: 'completed', turn: 3 });
  });

  test('begins with a text, or with nothing; what a flow does not use is ignored', async () => {
    const more = {
      instructions: 'You are helpful.',
      tools: [{ type: 'function' as const, name: 'book', parameters: { type: 'object' }, strict: null }],
      store: true,
      temperature: 0,
      previous_response_id: null,
    };
    for (const input of ['hello', [], [{ role: 'developer' as const, content: 'x' }]]) {
      const answer = await openai.responses.create({ model: 'greeting', input, ...more });
      expect(answer).toMatchObject({ output_text: 'Hello.\nWho are you?', instructions: null, tools: [] });
      expect(parleyOf(answer).session_id).toBeNull();
    }
    const silent = await openai.responses.create({ model: 'greeting@1' });
    expect(silent.output_text).toBe('Hello.\nWho are you?');
  });

  test('gives the texts of chat completions', async () => {
    const said = ['hello', 'Ada'];
    const chat = converse('greeting', 'both');
    const messages: OpenAI.ChatCompletionMessageParam[] = [];
    for (const content of said) {
      messages.push({ role: 'user', content });
      const { choices } = await openai.chat.completions.create({ model: 'greeting', messages });
      messages.push(choices[0]!.message);
      expect((await chat.say(user(content))).output_text).toBe(choices[0]!.message.content);
    }
  });

  test('counts parts that are no text, and skips the work of a model before it', async () => {
    const picture = { type: 'input_image', image_url: 'https://a.test/x.png', detail: 'auto' } as const;
    const input: ResponseInputItem[] = [
      { role: 'user', content: [picture, { type: 'input_text', text: 'hello' }] },
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { role: 'assistant', content: 'anything' },
      user('Ada'),
    ];
    const answer = await openai.responses.create({ model: 'greeting', input });
    expect(answer.output_text).toBe('Goodbye, Ada.');
    expect(parleyOf(answer)).toMatchObject({ turn: 2, ignored_parts: 1 });
  });
});

describe('the stream', () => {
  test('of texts has OpenAI’s events in order', async () => {
    const events = await collect('greeting', 'hello', 'stream');
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    expect(events.filter(({ type }) => type === 'response.output_text.delta')).toMatchObject([
      { delta: 'Hello.', output_index: 0, content_index: 0 },
      { delta: '\nWho are you?', output_index: 0, content_index: 0 },
    ]);
    const completed = events.at(-1) as { response: Response };
    expect(parleyOf(completed.response)).toMatchObject({ status: 'waiting', session_id: 'stream' });
    expect(events[0]).toMatchObject({ response: { status: 'in_progress', output: [] } });
  });

  test('of a call has its arguments, and the helper of the client builds the same response', async () => {
    const chat = converse('booking', 'streamed call');
    await chat.say(user('hello'));
    const whole = await chat.say(user('4'));
    const input = chat.input.slice(0, -whole.output.length);
    const events = await collect('booking', input, 'streamed call');
    expect(events.slice(-5).map(({ type }) => type)).toEqual([
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events.at(-5)).toMatchObject({ output_index: 1, item: { arguments: '', status: 'in_progress' } });
    expect(events.at(-3)).toMatchObject({ output_index: 1, name: 'book', arguments: '{"people":4}' });

    const metadata = { session_id: 'streamed call' };
    const runner = openai.responses.stream({ model: 'booking', input, metadata });
    const snapshots: string[] = [];
    runner.on('response.function_call_arguments.delta', ({ snapshot }) => snapshots.push(snapshot));
    const final = await runner.finalResponse();
    expect(snapshots).toEqual(['{"people":4}']);
    expect(final.output_text).toBe('A moment.');
    expect(final.output[1]).toMatchObject({ type: 'function_call', call_id: callOf(whole).call_id });
  });

  test('of a call alone has no message', async () => {
    const answered = [user('hello'), { role: 'assistant' as const, content: '?' }];
    const events = await collect('booking', [...answered, user('0')], 'quiet');
    const { response } = events.at(-1) as { response: Response };
    expect(response.output).toMatchObject([{ type: 'function_call', name: 'silent', arguments: '{}' }]);
    expect(events[2]).toMatchObject({ type: 'response.output_item.added', output_index: 0 });
  });
});

function callOf({ output }: Response) {
  const call = output.find((item) => item.type === 'function_call');
  if (call?.type !== 'function_call') throw new Error('no call');
  return call;
}

/** The conversation up to the call. */
async function call(session: string) {
  const chat = converse('booking', session);
  await chat.say(user('hello'));
  const answer = await chat.say(user('4'));
  return { chat, id: callOf(answer).call_id, answer };
}

describe('a tool that the flow waits for', () => {
  test('is a function call, and its output continues the flow', async () => {
    const { chat, answer, id } = await call('tools');
    expect(answer.output).toMatchObject([
      { type: 'message', content: [{ text: 'A moment.' }] },
      { type: 'function_call', name: 'book', arguments: '{"people":4}', status: 'completed' },
    ]);
    const told = await chat.say({ type: 'function_call_output', call_id: id, output: '{"name":"seven"}' });
    expect(told.output_text).toBe('Table seven.');
    expect(parleyOf(told).status).toBe('completed');
  });

  // Clients of the Responses API have no role `function`.
  const played = toolMessages.filter(({ message }) => message['role'] !== 'function');
  test.each(played)('$name', async ({ name, message, says }) => {
    const { chat, id } = await call(`tool ${name}`);
    const { role, content, tool_call_id } = JSON.parse(
      JSON.stringify(message).replaceAll('CALL', id),
    ) as Message;
    const item =
      role === 'tool'
        ? { type: 'function_call_output', call_id: tool_call_id, output: content }
        : { role, content };
    const answer = await chat.say(item as ResponseInputItem);
    expect(answer.output_text).toBe(says ?? '');
    expect(parleyOf(answer).status).toBe(says === null ? 'waiting_for_tool' : 'completed');
  });
  type Message = Readonly<{ role: string; content: unknown; tool_call_id?: string }>;

  test('that still runs has an empty message, and the words of the caller are a turn of their own', async () => {
    const { chat, id } = await call('runs');
    const waiting = await chat.say({ type: 'function_call_output', call_id: id, output: 'IN_PROGRESS' });
    expect(waiting.output).toMatchObject([{ type: 'message', content: [{ text: '' }] }]);
    const changed = await chat.say(user('change it'));
    expect(parleyOf(changed)).toMatchObject({ status: 'waiting', turn: 4 });
  });

  test('accepts only the result of its own call', async () => {
    const { chat } = await call('mismatch');
    const other = chat.say({ type: 'function_call_output', call_id: 'call_0', output: '1' });
    await expect(other).rejects.toMatchObject({ status: 422, code: 'tool_result_mismatch' });
  });
});

describe('the request', () => {
  test.each(responseRequests)('of a platform names its call: $name', async ({ body, headers, session }) => {
    const sent = { model: 'greeting', ...body, stream: false };
    const whole = await flows.api
      .post('/openai/v1/responses', sent)
      .set(headers ?? {})
      .expect(200);
    expect(parleyOf(whole.body as object).session_id).toBe(session);
    expect(whole.headers['x-parley-session']).toBe(session === null ? 'anonymous' : undefined);
    const streamed = await flows.api
      .post('/openai/v1/responses', { ...sent, stream: true })
      .set(headers ?? {})
      .expect(200);
    expect(streamed.headers['content-type']).toMatch(/^text\/event-stream/);
    expect(streamed.headers['x-parley-session']).toBe(session === null ? 'anonymous' : undefined);
  });

  test.each([
    ['a stored response', { previous_response_id: 'resp_1' }, '/previous_response_id'],
    ['a stored conversation', { conversation: 'conv_1' }, '/conversation'],
    [
      'an item that refers to a stored one',
      { input: [{ type: 'item_reference', id: 'msg_1' }] },
      '/input/0/type',
    ],
    ['a role that is unknown', { input: [{ role: 'tool', content: 'x' }] }, '/input/0/role'],
    [
      'an output without a call',
      { input: [{ type: 'function_call_output', output: 'x' }] },
      '/input/0/call_id',
    ],
    ['too many items', { input: Array.from({ length: 2_001 }, () => user('a')) }, '/input'],
    ['a bot without a conversation', { metadata: { bot_id: 'bot_1' } }, '/metadata/session_id'],
  ])('is refused with its place: %s', async (_, more, param) => {
    const asked = openai.responses.create({ model: 'greeting', input: 'hello', ...(more as object) });
    const refusal = { status: 400, type: 'invalid_request_error', code: 'invalid_request', param };
    await expect(asked).rejects.toMatchObject(refusal);
  });

  test('for a flow that is not there is refused, and a base URL that ends in /responses works', async () => {
    const asked = openai.responses.create({ model: 'none', input: 'hello' });
    await expect(asked).rejects.toMatchObject({ status: 404, code: 'not_found' });
    await flows.api.post('/openai/v1/responses/responses', { model: 'greeting', input: 'hello' }).expect(200);
    const stored = openai.responses.retrieve('resp_1');
    await expect(stored).rejects.toMatchObject({ status: 404, code: 'not_found' });
  });
});
