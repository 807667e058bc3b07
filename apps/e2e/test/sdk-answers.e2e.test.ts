// The SDK against the built services: what it makes of refusals, webhooks and turns (docs/sdk.md).
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { ApiError, webhooks, type ConversationEnded, type Parley } from '@parley/sdk';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { startSdkUnderTest, type SdkUnderTest } from '../src/sdk/sdk-under-test.ts';

let sdk: SdkUnderTest;
let parley: Parley;
let outside: Receiver;

beforeAll(async () => {
  sdk = await startSdkUnderTest('sdk-answers', process.env);
  parley = sdk.parley;
  outside = await receiver();
}, 60_000);
afterAll(async () => {
  await outside?.close();
  await sdk?.stop();
});

const definition = { nodes: [{ id: 'end', type: 'end', message: 'Bye.' }], edges: [] };

describe('errors', () => {
  const caught = async (call: PromiseLike<unknown>) => {
    const error: unknown = await call.then(undefined, (thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    return error as ApiError;
  };
  const requestId = expect.stringMatching(/./) as unknown as string;

  test('errors of the three services have one shape', async () => {
    for (const error of [
      await caught(parley.flowBuilder.getFlow({ flow_id: 'none' })),
      await caught(parley.voiceApi.getBot({ bot_id: 'none' })),
      await caught(parley.notifications.getNotification({ id: 'ntf_none' })),
    ])
      expect(error).toMatchObject({ name: 'NotFoundError', status: 404, code: 'not_found', requestId });
  });

  test('each names the invalid members', async () => {
    const wrong = 7 as unknown as string;
    for (const [path, error] of [
      ['/name', await caught(parley.flowBuilder.createFlow({ body: { name: wrong, definition } }))],
      ['/name', await caught(parley.voiceApi.createBot({ body: { name: wrong } }))],
      [
        '/message',
        await caught(parley.notifications.notify({ body: { channels: ['in_app'], message: wrong } })),
      ],
      ['/query/limit', await caught(parley.voiceApi.listBots({ limit: 1_000 }))],
      ['/query/limit', await caught(parley.notifications.listPushHistory({ limit: 1_000 }))],
    ] as const) {
      expect(error).toMatchObject({ name: 'InvalidRequestError', code: 'invalid_request', requestId });
      expect(error.fields).toEqual([expect.objectContaining({ path })]);
      expect(error.fields[0]?.in).toBe(path === '/query/limit' ? 'query' : undefined);
    }
  });

  test('keep the additional members of a problem', async () => {
    const broken = { nodes: [{ id: 'a', type: 'end' }], edges: [{ source: 'a', target: 'nowhere' }] };
    const error = await caught(parley.flowBuilder.createFlow({ body: { definition: broken } }));
    expect(error).toMatchObject({ name: 'UnprocessableError', code: 'flow_has_errors' });
    expect(error.body).toHaveProperty('validation');
  });
});

describe('webhooks', () => {
  test('every type of event verifies with each of the three signatures', async () => {
    const { id, secret } = await parley.voiceApi.registerWebhook({
      body: { url: outside.url, events: ['*'] },
    });
    const members = {
      'conversation.started': 'channel',
      'conversation.ended': 'transcript',
      'conversation.error': 'error',
      'transcript.ready': 'revision',
      'speech.interim': 'text',
      'speech.final': 'confidence',
      'bot.message': 'turn_index',
    } as const;
    for (const event of Object.keys(members) as (keyof typeof members)[]) {
      await parley.voiceApi.testWebhook({ webhook_id: id, body: { event } });
      const { body, headers } = outside.requests.at(-1)!;
      for (const scheme of ['standard', 'header', 'body'] as const) {
        const told = await webhooks.verify(body, headers, ['another', secret], { scheme });
        expect(told).toMatchObject({ event, data: { sequence: expect.any(Number), metadata: {} } });
        expect(told.data).toHaveProperty(members[event]);
      }
    }
  });

  test('changed, old and foreign messages do not verify', async () => {
    const { id, secret } = await parley.voiceApi.registerWebhook({
      body: { url: outside.url, events: ['conversation.ended'], secret: 'a secret of my own choice' },
    });
    await parley.voiceApi.testWebhook({ webhook_id: id, body: { event: 'conversation.ended' } });
    const { body, headers } = outside.requests.at(-1)!;
    const text = body.toString();
    const ended = await webhooks.verify<ConversationEnded>(text, headers, secret);
    expect(ended.data.end_reason).toBe('user_hangup');
    const changed = text.replace('user_hangup', 'bot_hangup');
    for (const scheme of ['standard', 'header', 'body'] as const) {
      await expect(webhooks.verify(changed, headers, secret, { scheme })).rejects.toMatchObject({
        name: 'SignatureError',
      });
      await expect(webhooks.verify(text, headers, 'another', { scheme })).rejects.toMatchObject({
        name: 'SignatureError',
      });
      await expect(webhooks.verify('{}', {}, secret, { scheme })).rejects.toMatchObject({
        name: 'SignatureError',
      });
    }
    const later = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 301_000);
    await expect(webhooks.verify(text, headers, secret)).rejects.toThrow('webhook-timestamp');
    later.mockRestore();
  });

  test('both secrets verify during a rotation', async () => {
    const { id, secret } = await parley.voiceApi.registerWebhook({
      body: { url: outside.url, events: ['*'] },
    });
    const rotated = await parley.voiceApi.rotateWebhookSecret({ webhook_id: id, body: {} });
    await parley.voiceApi.testWebhook({ webhook_id: id, body: { event: 'bot.message' } });
    const { body, headers } = outside.requests.at(-1)!;
    for (const one of [secret, rotated.secret]) await webhooks.verify(body, headers, one);
  });
});

describe('conversations', () => {
  const asking = {
    nodes: [
      { id: 'order', type: 'collect', prompt: 'Which order?', variable: 'order' },
      { id: 'find', type: 'tool', tool: 'find_order', args: { id: '{{ order }}' }, output_var: 'found' },
      { id: 'more', type: 'collect', prompt: 'Anything else?', variable: 'more' },
      { id: 'end', type: 'end', message: 'It is {{ found }}.' },
    ],
    edges: [
      { source: 'order', target: 'find' },
      { source: 'find', target: 'more' },
      { source: 'more', target: 'end' },
    ],
  };

  test('carry node, variables, version and results, and reach the voice API', async () => {
    await parley.flowBuilder.createFlow({ body: { flow_id: 'orders', definition: asking } });
    await parley.flowBuilder.publishFlow({ flow_id: 'orders' });
    const bot = await parley.voiceApi.createBot({ body: { name: 'orders' } });
    const talk = parley.conversation('orders', { botId: bot.id, sessionId: 'orders-1' });
    await talk.say();
    const next = structuredClone(asking);
    next.nodes[3] = { id: 'end', type: 'end', message: 'Another version.' };
    await parley.flowBuilder.updateFlow({ flow_id: 'orders', body: { definition: next } });
    await parley.flowBuilder.publishFlow({ flow_id: 'orders' });
    const [asked] = (await talk.say('17')).actions;
    expect(asked).toMatchObject({ tool: 'find_order', args: { id: '17' } });
    talk.answer(asked!, 'on its way');
    expect((await talk.say('no')).outputs).toMatchObject([{ text: 'It is on its way.' }]);
    expect(talk.ended).toBe(true);
    await expect(talk.say('hello?')).rejects.toMatchObject({ name: 'ParleyError' });
    await eventually(async () => {
      const { items } = await parley.voiceApi.listConversations({ bot_id: bot.id });
      return items[0]?.status === 'processing' || items[0]?.status === 'completed';
    });
    const said: string[] = [];
    for await (const turn of parley.voiceApi.getTranscript({ conversation_id: 'orders-1' }))
      said.push(turn.text);
    expect(said).toEqual(['Which order?', '17', 'Anything else?', 'no', 'It is on its way.']);
  });

  test('run turns in sequence, and a failed turn changes nothing', async () => {
    let isAway = true;
    const find = () => {
      if (isAway) throw new Error('the shop is away');
      return 'here';
    };
    const talk = parley.conversation('orders', { version: 1, tools: { find_order: find } });
    sdk.flows.script({ status: 500 });
    await expect(talk.say(null, { retries: 0 })).rejects.toMatchObject({ status: 500 });
    expect(talk.state).toMatchObject({ node: null, status: 'new' });
    const [, failed] = await Promise.allSettled([talk.say(), talk.say('17')]);
    expect(failed).toMatchObject({ reason: { message: 'the shop is away' } });
    expect(talk.state).toMatchObject({ node: 'order', status: 'waiting' });
    isAway = false;
    const turns = await Promise.all([talk.say('17'), talk.say('no')]);
    expect(turns.at(-1)!.outputs).toMatchObject([{ text: 'It is here.' }]);
  });
});
