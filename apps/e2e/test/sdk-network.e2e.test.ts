// The SDK against the built services, over a network that loses, delays and cuts (docs/sdk.md).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Parley } from '@parley/sdk';
import { eventually } from '@parley/testing';
import type { FlakyProxy } from '../src/sdk/flaky-proxy.ts';
import { startSdkUnderTest, type SdkUnderTest } from '../src/sdk/sdk-under-test.ts';

let sdk: SdkUnderTest;
let parley: Parley;
let flows: FlakyProxy;
let voice: FlakyProxy;
let inbox: FlakyProxy;

beforeAll(async () => {
  sdk = await startSdkUnderTest('sdk-network', process.env);
  ({ parley, flows, voice, inbox } = sdk);
}, 60_000);
afterAll(() => sdk?.stop());
beforeEach(() => {
  for (const proxy of [flows, voice, inbox]) proxy.requests.length = 0;
});

const definition = { nodes: [{ id: 'end', type: 'end', message: 'Bye.' }], edges: [] };

describe('repeats', () => {
  test('repeat a lost answer without creating anything twice', async () => {
    voice.script('lost', 'lost');
    const call = parley.voiceApi.createBot({ body: { name: 'once' } });
    const bot = await call;
    expect((await call.raw()).headers.get('idempotent-replayed')).toBe('true');
    const keys = voice.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0], keys[0]]);
    const { items } = await parley.voiceApi.listBots({ q: 'once' });
    expect(items.map(({ id }) => id)).toEqual([bot.id]);
  });

  test('use a new idempotency key for every creating call', async () => {
    const bots = [1, 2].map(() => parley.voiceApi.createBot({ body: { name: 'twin' } }));
    const [one, two] = await Promise.all(bots);
    expect(one!.id).not.toBe(two!.id);
  });

  test('wait for Retry-After when a service is unavailable', async () => {
    flows.script({ status: 503, retryAfter: 1 }, { status: 429 });
    const startedAt = performance.now();
    expect((await parley.flowBuilder.getMyApiKey()).scopes).toContain('admin');
    expect(flows.requests).toHaveLength(3);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_500); // 1 s, and at least half of the second pause
  });

  test('do not happen for permanent errors, nor after a Retry-After of an hour', async () => {
    await expect(parley.flowBuilder.getFlow({ flow_id: 'nowhere' })).rejects.toThrow('nowhere');
    flows.script({ status: 429, retryAfter: 3_600 }, { status: 503 });
    await expect(parley.flowBuilder.getMyApiKey()).rejects.toMatchObject({
      name: 'RateLimitError',
      status: 429,
    });
    const asked = parley.flowBuilder.getMyApiKey({}, { retries: 0 });
    await expect(asked).rejects.toMatchObject({ name: 'ServiceError', code: 'unavailable' });
    expect(flows.requests).toHaveLength(3);
  });

  test('follow an attempt that timed out', async () => {
    flows.script('hang', 'hang');
    const options = { timeoutMs: 200, retries: 0 };
    await expect(parley.flowBuilder.getMyApiKey({}, options)).rejects.toMatchObject({ name: 'TimeoutError' });
    await expect(
      parley.flowBuilder.getMyApiKey({}, { ...options, retries: 1, timeoutMs: 2_000 }),
    ).resolves.toBeDefined();
    expect(flows.requests).toHaveLength(3);
  });

  test('end with the reason of a signal, during a request and a pause', async () => {
    const reason = new Error('the user left');
    for (const fate of ['hang', { status: 503, retryAfter: 30 }] as const) {
      flows.script(fate);
      const leaving = new AbortController();
      const asked = parley.flowBuilder.getMyApiKey({}, { signal: leaving.signal });
      await eventually(() => flows.requests.length > 0);
      flows.requests.length = 0;
      setTimeout(() => leaving.abort(reason), 100);
      await expect(asked).rejects.toBe(reason);
    }
  });
});

describe('lists', () => {
  test('a loop gets the items of all pages, and requests no page that it does not reach', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e'].map((letter) => `page-${letter}`);
    for (const id of ids)
      await parley.flowBuilder.createFlow({ body: { flow_id: id, name: 'page', definition } });
    flows.requests.length = 0;
    const found: string[] = [];
    for await (const flow of parley.flowBuilder.listFlows({ q: 'page', limit: 2 })) found.push(flow.flow_id);
    expect(found.sort()).toEqual(ids);
    expect(flows.requests).toHaveLength(3);
    for await (const flow of parley.flowBuilder.listFlows({ q: 'page', limit: 2 })) if (flow.flow_id) break;
    expect(flows.requests).toHaveLength(4);
  });

  test('a loop also reads the envelope of the voice API', async () => {
    for (const name of ['p1', 'p2', 'p3'])
      await parley.voiceApi.createBot({ body: { name, tags: ['paged'] } });
    const names: string[] = [];
    for await (const bot of parley.voiceApi.listBots({ tag: 'paged', limit: 2 })) names.push(bot.name);
    expect(names.sort()).toEqual(['p1', 'p2', 'p3']);
  });
});

describe('streams', () => {
  const tell = (user: string, message: string) =>
    parley.notifications.notify({
      body: { channels: ['in_app'], message, target: { in_app: { user_id: user } } },
    });

  const isStream = ({ path }: { path: string }) => path.startsWith('/v1/notifications/stream');

  test('continue after a cut and miss nothing', async () => {
    const texts = new Set<string>();
    for await (const event of parley.notifications.streamNotifications({ user_id: 'reader' })) {
      if (event.event === 'unread_count' && texts.size === 0) await tell('reader', 'one'); // the stream is open
      if (event.event !== 'created') continue;
      texts.add(event.data.body);
      if (event.data.body === 'two') break;
      inbox.cut();
      await tell('reader', 'two');
    }
    expect([...texts]).toEqual(['one', 'two']);
    const opened = inbox.requests.filter(isStream).map(({ headers }) => headers['last-event-id']);
    expect(opened).toEqual([undefined, expect.stringMatching(/^\d+$/)]);
  });

  test('end with the reason of a signal, and throw a refusal', async () => {
    const reason = new Error('enough');
    const leaving = new AbortController();
    const reading = (async () => {
      const stream = parley.notifications.streamNotifications(
        { user_id: 'quiet' },
        { signal: leaving.signal },
      );
      for await (const event of stream) if (event.event === 'unread_count') leaving.abort(reason);
    })();
    await expect(reading).rejects.toBe(reason);
    const refused = new Parley({ notifications: { url: inbox.url, key: 'nt_test_wrong' } }).notifications;
    await expect(refused.streamNotifications()[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      status: 401,
    });
  });
});

test('a method of a service that is not configured throws', async () => {
  await expect(new Parley({}).voiceApi.listBots()).rejects.toThrow('voiceApi');
});
