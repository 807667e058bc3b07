// /openai/v1 as clients of models use it: OpenAI's official client talks to flows (docs/openai.md).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import OpenAI from 'openai';
import type { ChatCompletion, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { greeting, publishFlows, startFlowBuilder, type FlowBuilder } from './service.ts';

/** The member beside those of OpenAI. */
interface Parley {
  version: number;
  session_id: string | null;
  turn: number;
  status: string;
  next_node: string | null;
  actions: { type: string; target?: string; tool?: string }[];
}
const parleyOf = (from: object) => (from as { parley: Parley }).parley;

let flows: FlowBuilder;
let openai: OpenAI;
const clientOf = (apiKey: string) =>
  new OpenAI({ apiKey, baseURL: `${flows.server.url}/openai/v1`, maxRetries: 0 });

beforeAll(async () => {
  flows = await startFlowBuilder();
  openai = clientOf(flows.key);
  await publishFlows(flows, { greeting, orders, memory });
});
afterAll(() => flows.stop());

/** Looks an order up. Unknown orders go to the desk and return. */
const orders = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'Which order?', variable: 'id', cast: 'integer' },
    { id: 'wait', type: 'message', text: 'A moment.' },
    {
      id: 'lookup',
      type: 'tool',
      tool: 'find_order',
      args: { id: '{{ id }}' },
      output_var: 'order',
      wait_for_result: true,
    },
    { id: 'tell', type: 'end', message: 'It is {{ order.state }}.' },
    {
      id: 'desk',
      type: 'handoff',
      target: 'desk',
      reason: '{{ _tool_error }}',
      message: 'A colleague.',
      returns: true,
    },
    { id: 'more', type: 'collect', prompt: 'Anything else?', variable: 'more' },
    { id: 'bye', type: 'handoff', target: 'sales', message: 'Over to sales.' },
  ],
  edges: [
    { source: 'ask', target: 'wait' },
    { source: 'wait', target: 'lookup' },
    { source: 'lookup', target: 'tell', variable: '_tool_status', value: 'ok' },
    { source: 'lookup', target: 'desk', default: true },
    { source: 'desk', target: 'more' },
    { source: 'more', target: 'bye' },
  ],
};

/** Never ends, and counts the answers. */
const memory = {
  nodes: [
    {
      id: 'ask',
      type: 'collect',
      prompt: 'Told {{ count | default: 0 }} times, last "{{ said | default: nothing }}".',
      variable: 'said',
      set: [{ variable: 'count', add: 1 }],
    },
  ],
  edges: [{ source: 'ask', target: 'ask' }],
};

const user = (content: string): ChatCompletionMessageParam => ({ role: 'user', content });
const assistant = (content: string): ChatCompletionMessageParam => ({ role: 'assistant', content });

/** Sends the whole conversation in each request, as clients do. */
function chatWith(model: string, metadata: Record<string, string> = { session_id: `s-${Math.random()}` }) {
  const messages: ChatCompletionMessageParam[] = [{ role: 'system', content: 'You are helpful.' }];
  return {
    messages,
    say: async (...said: ChatCompletionMessageParam[]): Promise<ChatCompletion> => {
      messages.push(...said);
      const answer = await openai.chat.completions.create({ model, messages, metadata });
      messages.push(answer.choices[0]!.message);
      return answer;
    },
  };
}

describe('a conversation', () => {
  test('is held turn by turn, until the flow has ended', async () => {
    const chat = chatWith('greeting', { session_id: 'call-1' });
    const first = await chat.say(user('hello'));
    expect(first).toMatchObject({
      object: 'chat.completion',
      model: 'greeting',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello.\nWho are you?' },
          finish_reason: 'stop',
        },
      ],
      usage: { total_tokens: 0 },
    });
    expect(first.id).toMatch(/^chatcmpl_/);
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
    expect(last.choices[0]).toMatchObject({
      message: { content: 'Goodbye, Ada.' },
      finish_reason: 'end',
    });
    expect(parleyOf(last)).toMatchObject({ status: 'completed', next_node: null, turn: 2 });

    const over = await chat.say(user('bye'));
    expect(over.choices[0]).toMatchObject({ message: { content: '' }, finish_reason: 'end' });
    expect(parleyOf(over).status).toBe('completed');
  });

  test('streams the same texts', async () => {
    const stream = await openai.chat.completions.create({
      model: 'greeting@1',
      messages: [user('hello')],
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content)).toEqual([
      ...['Hello.', '\nWho are you?'],
      ...[undefined, undefined],
    ]);
    expect(chunks.map(({ choices }) => choices[0]?.finish_reason)).toEqual([null, null, 'stop', undefined]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 0 } });
    expect(parleyOf(chunks[2]!)).toMatchObject({ status: 'waiting', turn: 1 });

    const runner = openai.chat.completions.stream({ model: 'greeting', messages: [user('hello')] });
    expect(await runner.finalContent()).toBe('Hello.\nWho are you?');
  });

  test('may begin with the flow, and silence is no utterance', async () => {
    const none = await openai.chat.completions.create({ model: 'greeting', messages: [] });
    expect(none.choices[0]!.message.content).toBe('Hello.\nWho are you?');
    const chat = chatWith('greeting');
    expect((await chat.say()).choices[0]!.message.content).toBe('Hello.\nWho are you?');
    expect((await chat.say(user(''))).choices[0]!.message.content).toBe('Who are you?');
    expect((await chat.say()).choices[0]!.message.content).toBe('Who are you?');
    expect((await chat.say(user('Ada'))).choices[0]!.finish_reason).toBe('end');
  });

  test('joins messages without an answer into one utterance', async () => {
    const chat = chatWith('greeting');
    await chat.say(user('hello'));
    const answer = await chat.say(user('Ada'), {
      role: 'user',
      content: [{ type: 'text', text: 'Lovelace' }],
    });
    expect(answer.choices[0]!.message.content).toBe('Goodbye, Ada Lovelace.');
  });

  test('begins with variables, and is named by the request', async () => {
    const ask = async (more: object) => {
      const answer = await openai.chat.completions.create({
        model: 'memory',
        messages: [user('hello')],
        ...more,
      });
      return { words: answer.choices[0]!.message.content, session: parleyOf(answer).session_id };
    };
    expect(await ask({ user: 'u-1' })).toMatchObject({ session: 'u-1' });
    expect(await ask({ user: 'u-1', metadata: { session_id: 's-1' } })).toMatchObject({ session: 's-1' });
    expect(await ask({})).toMatchObject({ session: null });
    // The type of the client has texts only.
    for (const variables of [{ said: 'before' }, JSON.stringify({ said: 'before' })])
      expect(await ask({ metadata: { variables } })).toMatchObject({ words: 'Told 0 times, last "before".' });
  });
});

describe('a tool that the flow waits for', () => {
  test('is called by the client, streamed or not, and its result continues the flow', async () => {
    const chat = chatWith('orders', { session_id: 'tools' });
    await chat.say(user('hello'));
    const called = await chat.say(user('17'));
    const [call] = called.choices[0]!.message.tool_calls!;
    expect(called.choices[0]).toMatchObject({
      message: { content: 'A moment.' },
      finish_reason: 'tool_calls',
    });
    expect(call).toEqual({
      id: expect.stringMatching(/^call_/),
      type: 'function',
      function: { name: 'find_order', arguments: '{"id":17}' },
    });

    const messages = chat.messages.slice(0, -1);
    const runner = openai.chat.completions.stream({
      model: 'orders',
      messages,
      metadata: { session_id: 'tools' },
    });
    expect((await runner.finalChatCompletion()).choices[0]).toMatchObject({
      message: { content: 'A moment.', tool_calls: [call] },
      finish_reason: 'tool_calls',
    });

    const told = await chat.say({ role: 'tool', tool_call_id: call!.id, content: '{"state":"shipped"}' });
    expect(told.choices[0]).toMatchObject({
      message: { content: 'It is shipped.' },
      finish_reason: 'end',
    });
  });

  test('may fail; a person takes over and returns the conversation, and the last one does not', async () => {
    const chat = chatWith('orders');
    await chat.say();
    const called = await chat.say(user('18'));
    const failed = '{"error":{"code":"no_such_order","message":"There is none"}}';
    const away = await chat.say({
      role: 'tool',
      tool_call_id: called.choices[0]!.message.tool_calls![0]!.id,
      content: failed,
    });
    expect(away.choices[0]).toMatchObject({
      message: { content: 'A colleague.' },
      finish_reason: 'handoff',
    });
    expect(parleyOf(away)).toMatchObject({
      status: 'handed_off',
      next_node: 'desk',
      actions: [{ type: 'handoff', target: 'desk', reason: 'no_such_order' }],
    });
    const back = await chat.say(user('here I am again'));
    expect(back.choices[0]).toMatchObject({
      message: { content: 'Anything else?' },
      finish_reason: 'stop',
    });
    const gone = await chat.say(user('an offer'));
    expect(gone.choices[0]).toMatchObject({
      message: { content: 'Over to sales.' },
      finish_reason: 'handoff',
    });
    expect(parleyOf(gone)).toMatchObject({
      next_node: null,
      actions: [{ type: 'handoff', target: 'sales' }],
    });
  });

  test('accepts only the result of its own call', async () => {
    const begun = [user('hello'), assistant('?'), user('17'), assistant('')];
    for (const said of [
      user('never mind'),
      { role: 'tool', tool_call_id: 'call_0', content: '1' } as const,
    ]) {
      const asked = openai.chat.completions.create({ model: 'orders', messages: [...begun, said] });
      await expect(asked).rejects.toMatchObject({ status: 422, code: 'tool_result_mismatch' });
    }
  });
});

describe('the history', () => {
  test('gives the texts of execute for 200 turns', async () => {
    const chat = chatWith('memory', { session_id: 'long' });
    let turn: { next_node: string | null; variables: object } = { next_node: null, variables: {} };
    const overExecute = async (user_input: string) => {
      const { next_node: current_node, variables } = turn;
      const body = { session_id: 'long', current_node, variables, user_input };
      const answer = await flows.api.post('/v1/flows/memory/execute', body).expect(200);
      turn = answer.body as typeof turn;
      return (answer.body as { outputs: { text: string }[] }).outputs.map(({ text }) => text).join('\n');
    };
    for (let number = 1; number <= 200; number += 1) {
      const said = `number ${number}`;
      const expected = await overExecute(said);
      // Every request walks all earlier turns, so a few requests are enough.
      if (number % 40 === 1 || number === 200) {
        const answer = await chat.say(user(said));
        expect(answer.choices[0]!.message.content).toBe(expected);
        expect(parleyOf(answer)).toMatchObject({ turn: number, next_node: 'ask' });
      } else chat.messages.push(user(said), assistant(expected));
    }
  });

  test('is walked again: utterances count, and the client’s copies of answers do not', async () => {
    const answer = await openai.chat.completions.create({
      model: 'memory',
      messages: [
        ...[user('a'), assistant('The account is unlocked.')],
        ...[user('b'), assistant('Told 900 times.'), assistant('Are you there?')],
        user('c'),
      ],
    });
    expect(answer.choices[0]!.message.content).toBe('Told 2 times, last "c".');
  });

  test('that is cut is a shorter conversation, and an edited one is another conversation', async () => {
    const words = async (...messages: ChatCompletionMessageParam[]) =>
      (await openai.chat.completions.create({ model: 'memory', messages })).choices[0]!.message.content;
    const whole = [user('a'), assistant('1'), user('b'), assistant('2'), user('c')];
    expect(await words(...whole)).toBe('Told 2 times, last "c".');
    expect(await words(...whole.slice(2))).toBe('Told 1 times, last "c".');
    expect(await words(...whole.slice(0, -1))).toBe('Told 1 times, last "b".');
    expect(await words(...whole.slice(0, 2), user('edited'))).toBe('Told 1 times, last "edited".');
  });
});

describe('the requested model', () => {
  test('may be any published flow, or any version without errors', async () => {
    const { api } = flows;
    await api.post('/v1/flows', { flow_id: 'draft', definition: greeting }).expect(201);
    const ids = [];
    for await (const model of openai.models.list()) ids.push(model.id);
    expect(ids).toEqual(expect.arrayContaining(['greeting', 'orders', 'memory']));
    expect(ids).not.toContain('draft');

    expect(await openai.models.retrieve('greeting')).toMatchObject({ id: 'greeting', object: 'model' });
    expect(await openai.models.retrieve('draft@1')).toMatchObject({ id: 'draft@1' });
    for (const model of ['none', 'draft', 'draft@2', 'a b'])
      await expect(openai.models.retrieve(model)).rejects.toMatchObject({ status: 404, code: 'not_found' });

    const ask = (model: string) => openai.chat.completions.create({ model, messages: [user('hello')] });
    expect((await ask('draft@1')).choices[0]!.finish_reason).toBe('stop');
    await expect(ask('draft')).rejects.toMatchObject({ status: 409, code: 'not_published' });
    for (const model of ['none', 'greeting@2', 'greeting@0', 'greeting@x', '@1', 'a b'])
      await expect(ask(model)).rejects.toMatchObject({ status: 404, code: 'not_found' });
  });

  test('depends on the organisation of the key', async () => {
    const other = clientOf(await flows.issueKey('rival'));
    expect((await other.models.list()).data).toEqual([]);
    const asked = other.chat.completions.create({ model: 'greeting', messages: [user('hello')] });
    await expect(asked).rejects.toMatchObject({ status: 404, code: 'not_found' });
    await expect(clientOf('fb_test_nobody').models.list()).rejects.toMatchObject({
      status: 401,
      type: 'authentication_error',
      code: 'unauthorized',
    });
  });

  test.each([
    ['too many messages', { messages: Array.from({ length: 2_001 }, () => user('a')) }, '/messages'],
    ['variables that are no JSON', { metadata: { variables: '{' } }, '/metadata/variables'],
    ['variables that are no object', { metadata: { variables: '[]' } }, '/metadata/variables'],
    [
      'variables that hold NUL',
      { metadata: { variables: '{"a":{"b":"\\u0000"}}' } },
      '/metadata/variables/a/b',
    ],
    ['a bot without a conversation', { metadata: { bot_id: 'bot_1' } }, '/metadata/session_id'],
  ])('is refused with its place: %s', async (_, more, param) => {
    const asked = openai.chat.completions.create({
      model: 'greeting',
      messages: [user('hello')],
      ...(more as object),
    });
    await expect(asked).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      code: 'invalid_request',
      param,
    });
  });

  test('has the limits of execute: variables, and the whole request', async () => {
    const ask = (more: object) =>
      openai.chat.completions.create({ model: 'greeting', messages: [user('hello')], ...more });
    const large = { metadata: { variables: { note: 'x'.repeat(257 * 1024) } } };
    await expect(ask(large as never)).rejects.toMatchObject({ status: 413, code: 'payload_too_large' });
    const huge = Array.from({ length: 12 }, () => user('x'.repeat(100_000)));
    await expect(ask({ messages: huge })).rejects.toMatchObject({ status: 413 });
  });

  test('may come to an address that is too long, and other addresses answer as OpenAI does', async () => {
    const baseURL = `${flows.server.url}/openai/v1/chat/completions`;
    const long = new OpenAI({ apiKey: flows.key, baseURL, maxRetries: 0 });
    const answer = await long.chat.completions.create({ model: 'greeting', messages: [user('hello')] });
    expect(answer.choices[0]!.finish_reason).toBe('stop');
    expect(await long.models.retrieve('greeting')).toMatchObject({ id: 'greeting' });
    await expect(openai.embeddings.create({ model: 'greeting', input: 'x' })).rejects.toMatchObject({
      status: 404,
      type: 'invalid_request_error',
      code: 'not_found',
    });
    const elsewhere = await flows.api.get('/openai/v1x').expect(404);
    expect(elsewhere.body).toMatchObject({ code: 'not_found' });
  });

  test('may have members for models', async () => {
    const answer = await openai.chat.completions.create({
      model: 'greeting',
      messages: [user('hello')],
      temperature: 0,
      tools: [{ type: 'function', function: { name: 'find_order', parameters: { type: 'object' } } }],
      tool_choice: 'auto',
      max_completion_tokens: 10,
    });
    expect(answer.choices[0]!.finish_reason).toBe('stop');
  });
});
