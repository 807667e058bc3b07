// Plays requests as voice platforms send them: they find their call, and nothing of an anonymous
// request is stored (docs/openai.md#which-conversation).
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fakeGateway, type FakeGateway } from '@parley/testing';
import { sessionPlaces } from '../src/chat/find-session.ts';
import { requests } from './platforms/requests.ts';
import { startFlowBuilder, type FlowBuilder } from './service.ts';

let gateway: FakeGateway;
let flows: FlowBuilder;
beforeAll(async () => {
  gateway = await fakeGateway({ key: 'sk-test' });
  flows = await startFlowBuilder({
    GATEWAY_URL: gateway.url,
    GATEWAY_KEY: 'env://GATEWAY_KEY_VALUE',
    GATEWAY_KEY_VALUE: 'sk-test',
    CLASSIFIER_MODEL: 'small',
  });
  await flows.api.post('/v1/flows', { flow_id: 'desk', definition: desk }).expect(201);
  await flows.api.post('/v1/flows/desk/publish').expect(200);
});
afterAll(async () => {
  await flows.stop();
  await gateway.close();
});

/** A model decides the branch, and a tool is called. */
const desk = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'Buy or repair?', variable: 'need' },
    { id: 'buy', type: 'tool', tool: 'sell', wait_for_result: true },
    { id: 'repair', type: 'end', message: 'To the workshop.' },
    { id: 'sold', type: 'end', message: 'Sold.' },
  ],
  edges: [
    { source: 'ask', target: 'buy', nl: 'wants to buy' },
    { source: 'ask', target: 'repair', default: true },
    { source: 'buy', target: 'sold' },
  ],
};

interface Answer {
  readonly parley: { readonly session_id: string | null };
  readonly choices: readonly { readonly message: { readonly tool_calls?: readonly { id: string }[] } }[];
}

const post = async (body: object, headers: Readonly<Record<string, string>> = {}) => {
  const response = await flows.api.post('/openai/v1/chat/completions', body).set(headers).expect(200);
  return { answer: response.body as Answer, header: response.headers['x-parley-session'] as string };
};

describe('the call of a request', () => {
  test.each(requests)('$name', async ({ body, headers, session }) => {
    const { answer, header } = await post({ model: 'desk', ...body, stream: false }, headers);
    expect(answer.parley.session_id).toBe(session);
    expect(header).toBe(session === null ? 'anonymous' : undefined);
  });

  test('is in the stream as in the answer', async () => {
    const [vapi] = requests;
    const streamed = await flows.api
      .post('/openai/v1/chat/completions', { model: 'desk', ...vapi!.body })
      .expect(200);
    expect(streamed.text).toContain(`"session_id":"${vapi!.session}"`);
    const anonymous = await flows.api
      .post('/openai/v1/chat/completions', { model: 'desk', messages: [], stream: true })
      .expect(200);
    expect(anonymous.headers['x-parley-session']).toBe('anonymous');
  });

  test('decides what models are asked again: two calls with the same words share nothing', async () => {
    const messages = [
      ...[
        { role: 'system', content: 'You sell.' },
        { role: 'user', content: 'hello' },
      ],
      ...[
        { role: 'assistant', content: '…' },
        { role: 'user', content: 'a table, please' },
      ],
    ];
    gateway.chats.length = 0;
    gateway.script(...Array.from({ length: 4 }, () => ({ choice: 0 })));
    const ask = async (more: object) => {
      const { answer } = await post({ model: 'desk', messages, ...more });
      return answer.choices[0]!.message.tool_calls![0]!.id;
    };
    const first = await ask({ call: { id: 'A' } });
    expect(await ask({ call: { id: 'A' } })).toBe(first);
    expect(gateway.chats).toHaveLength(1);
    expect(await ask({ call: { id: 'B' } })).not.toBe(first);
    expect(gateway.chats).toHaveLength(2);
    // Anonymous requests are asked each time, and leave nothing behind.
    await ask({});
    await ask({});
    expect(gateway.chats).toHaveLength(4);
    const rows = await flows.deps.sql<{ session: string }>(
      `SELECT session FROM chat_answers ORDER BY session`,
    );
    expect(rows.map(({ session }) => session)).toEqual(['A', 'B']);
  });

  test('is the conversation that a bot is reported under', async () => {
    const messages = [{ role: 'user', content: 'hello' }];
    const report = (more: object) =>
      flows.api.post('/openai/v1/chat/completions', { model: 'desk', messages, ...more });
    await report({ call: { id: 'call-9' }, metadata: { bot_id: 'bot_1' } }).expect(200);
    await report({ metadata: { bot_id: 'bot_1' } }).expect(400);
    await report({ call: { id: 'a/b' }, metadata: { bot_id: 'bot_1' } }).expect(400);
  });

  test('stands in the documentation, in the order in which places are tried', () => {
    const page = readFileSync(new URL('../../../docs/openai.md', import.meta.url), 'utf8');
    const [, table = ''] = /## Which conversation\n([\s\S]*?)\n## /.exec(page) ?? [];
    const documented = [...table.matchAll(/^\| \d+ \| `([^`]+)`/gm)].map(([, place]) => place);
    expect(documented).toEqual(sessionPlaces.map(({ place }) => place));
  });
});
