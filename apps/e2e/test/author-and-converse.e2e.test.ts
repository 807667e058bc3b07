// The story of the flow builder on the built services, over public HTTP only, once per queue
// engine. Also kills `npm start` at random moments.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startStack, type QueuePlan, type ServiceName, type Stack } from '@parley/dev/stack';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { findWay, readSpans } from './otlp-spans.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Starts servers and three services from nothing. */
const START_TIMEOUT_MS = 240_000;

const engines: [string, Record<string, string>, QueuePlan | undefined][] = [
  // A Redis whose users may access only their own service's queues.
  ['redis', {}, undefined],
  ['postgres', {}, { kind: 'postgres' }],
];

async function call(method: string, url: string, key?: string, body?: object, headers: object = {}) {
  const response = await fetch(url, {
    method,
    headers: {
      ...headers,
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: (text === '' ? null : JSON.parse(text)) as Record<string, unknown>,
  };
}

describe.each(engines)('with queues in %s', (engine, env, queue) => {
  const home = mkdtempSync(join(tmpdir(), `parley-e2e-${engine}-`));
  let stack: Stack;
  let collector: Receiver;

  const start = () =>
    startStack({
      root,
      home,
      released: true,
      env: {
        PATH: process.env['PATH'],
        ...env,
        QUEUE_PREFIX: `e2e-${process.pid}`,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_TRACES_SAMPLER_ARG: '1',
      },
      ...(queue ? { queue } : {}),
    });

  beforeAll(async () => {
    collector = await receiver();
    stack = await start();
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await stack.stop();
    await collector.close();
    rmSync(home, { recursive: true, force: true });
  });

  test('all three services are ready and describe themselves', async () => {
    for (const name of Object.keys(stack.services) as ServiceName[]) {
      const { origin } = stack.services[name];
      expect((await call('GET', `${origin}/health`)).body).toMatchObject({
        status: 'ok',
        store: { ready: true },
      });
      expect((await call('GET', `${origin}/ready`)).status).toBe(200);
      expect((await call('GET', `${origin}/openapi.json`)).body).toMatchObject({ openapi: '3.1.0' });
      const docs = await fetch(`${origin}/docs`);
      expect([docs.status, (await fetch(`${origin}/docs/swagger-ui-bundle.js`)).status]).toEqual([200, 200]);
    }
  });

  test('an author creates and publishes a flow, and a caller converses with it', async () => {
    const { baseUrl, apiKey } = stack.services['flow-builder'];
    const definition = {
      nodes: [
        {
          id: 'ask',
          type: 'collect',
          prompt: 'How many?',
          variable: 'count',
          cast: 'integer',
          reprompt: 'A number, please.',
        },
        { id: 'many', type: 'end', message: 'That is a lot: {{ count }}.' },
        { id: 'few', type: 'end', message: 'Only {{ count }}.' },
      ],
      edges: [
        { source: 'ask', target: 'many', variable: 'count', op: 'gt', value: 9 },
        { source: 'ask', target: 'few', default: true },
      ],
    };
    const created = await call('POST', `${baseUrl}/v1/flows`, apiKey, { flow_id: 'count', definition });
    expect([201, 200]).toContain(created.status);
    expect((await call('POST', `${baseUrl}/v1/flows/count/publish`, apiKey)).status).toBe(200);

    const execute = async (turn: object) =>
      (await call('POST', `${baseUrl}/product/v1/flows/count/execute`, apiKey, turn)).body;
    expect((await execute({}))['status']).toBe('waiting');
    const again = await execute({ current_node: 'ask', user_input: 'lots' });
    expect(again).toMatchObject({
      status: 'waiting',
      outputs: [{ type: 'reprompt', text: 'A number, please.' }],
    });
    const last = await execute({ current_node: 'ask', user_input: 'twelve', variables: again['variables'] });
    expect(last).toMatchObject({
      status: 'completed',
      next_node: null,
      outputs: [{ text: 'That is a lot: 12.' }],
    });
  });

  test('the report of a turn reaches the voice API, each service under its own key', async () => {
    if (engine === 'redis') expect(stack.stores.redis).toBeDefined();
    const builder = stack.services['flow-builder'];
    const voice = stack.services['voice-api'];
    const bot = await call('POST', `${voice.baseUrl}/bots`, voice.apiKey, { name: 'teller' });
    const turn = {
      bot_id: (bot.body['data'] as { id: string }).id,
      session_id: `told-${process.pid}`,
      current_node: 'ask',
      user_input: 'three',
    };
    const answer = await call('POST', `${builder.baseUrl}/v1/flows/count/execute`, builder.apiKey, turn);
    expect(answer.status).toBe(200);
    await eventually(async () => {
      const url = `${voice.baseUrl}/conversations/${turn.session_id}`;
      return (await call('GET', url, voice.apiKey)).status === 200;
    });
    const metrics = await (await fetch(`${voice.origin}/metrics`)).text();
    if (engine === 'redis') expect(metrics).toMatch(/^limits_degraded(\{.*\})? 0$/m); // its user may use the limiter
  });

  test('a trace follows a turn over three services, to two receivers', async () => {
    const { 'flow-builder': builder, 'voice-api': voice, notifications } = stack.services;
    const webhook = await receiver();
    await call('POST', `${voice.baseUrl}/webhooks`, voice.apiKey, {
      url: webhook.url,
      events: ['bot.message'],
    });
    const bot = await call('POST', `${voice.baseUrl}/bots`, voice.apiKey, { name: 'traced' });
    const { id: botId } = bot.body['data'] as { id: string };
    const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
    const traced = { traceparent: `00-${caller.traceId}-${caller.spanId}-01` };
    const turn = {
      bot_id: botId,
      session_id: `traced-${process.pid}`,
      current_node: 'ask',
      user_input: 'three',
    };
    const execute = `${builder.baseUrl}/v1/flows/count/execute`;
    expect((await call('POST', execute, builder.apiKey, turn, traced)).status).toBe(200);
    const [delivered] = await webhook.received(1, 30_000);
    // As a customer's server continues the trace that a webhook brought.
    const { traceparent } = delivered!.headers as { traceparent: string };
    const notice = {
      message: 'A caller waits.',
      channels: ['webhook'],
      target: { webhook: { url: webhook.url } },
    };
    const notify = `${notifications.baseUrl}/v1/notify`;
    expect((await call('POST', notify, notifications.apiKey, notice, { traceparent })).status).toBeLessThan(
      300,
    );
    await webhook.received(2, 30_000);
    await webhook.close();

    const way = await eventually(() => findWay(readSpans(collector.requests), caller, 'send webhook'), {
      timeoutMs: 30_000,
    });
    expect(way).toEqual([
      'flow-builder: POST /v1/flows/{flow_id}/execute',
      'voice-api: process conversation.event',
      'voice-api: deliver event',
      'notifications: POST /v1/notify',
      'notifications: send webhook',
    ]);
  });

  test(
    'a stack that was killed starts again, with its data and its keys',
    async () => {
      const { baseUrl, apiKey } = stack.services['flow-builder'];
      await call('POST', `${baseUrl}/v1/flows`, apiKey, {
        flow_id: 'kept',
        definition: { nodes: [{ id: 'e', type: 'end', message: 'still here' }], edges: [] },
      });
      stack.killNow();
      await eventually(async () => (await fetch(`${baseUrl}/health`).catch(() => 'gone')) === 'gone');
      await stack.stop();
      stack = await start();
      const next = stack.services['flow-builder'];
      expect(next.apiKey).toBe(apiKey);
      expect((await call('GET', `${next.baseUrl}/v1/flows/kept`, apiKey)).status).toBe(200);
    },
    START_TIMEOUT_MS,
  );
});
