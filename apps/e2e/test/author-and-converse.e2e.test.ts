// The story of the flow builder on the built services, over public HTTP only, once per queue
// engine. Also kills `npm start` at random moments.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startStack, type QueuePlan, type ServiceName, type Stack } from '@parley/dev/stack';
import { eventually } from '@parley/testing';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Starts servers and three services from nothing. */
const START_TIMEOUT_MS = 240_000;

const engines: [string, Record<string, string>, QueuePlan | undefined][] = [
  // A Redis whose users may access only their own service's queues.
  ['redis', {}, undefined],
  ['postgres', {}, { kind: 'postgres' }],
];

async function call(method: string, url: string, key?: string, body?: object) {
  const response = await fetch(url, {
    method,
    headers: {
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

  const start = () =>
    startStack({
      root,
      home,
      released: true,
      env: { PATH: process.env['PATH'], ...env, QUEUE_PREFIX: `e2e-${process.pid}` },
      ...(queue ? { queue } : {}),
    });

  beforeAll(async () => {
    stack = await start();
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await stack.stop();
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
