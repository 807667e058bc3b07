// /mcp: credentials, origins, limits, timeouts and forwarding of keys (docs/mcp.md#over-http).
// libs/mcp/test tests the tools.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import { listen } from '@parley/server/http';
import { eventually } from '@parley/testing';
import { credentialsIn } from '../src/mcp/bearer.ts';
import { mcpRoutes } from '../src/mcp/mcp.ts';
import { json, REVOKED, signIn, startConsole, type ConsoleUnderTest } from './console-under-test.ts';

const KEY = 'fb_test_1';
/** A key of another organisation. */
const NEIGHBOUR = 'fb_test_2';
const LIMITED = 'fb_test_limited';

interface TestRequest {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}
let app: ConsoleUnderTest;
let flowBuilder: Server;
const asked: TestRequest[] = [];
let ended = 0;
beforeAll(async () => {
  flowBuilder = createServer((request, response) => {
    const { url = '', headers } = request;
    asked.push({ url, headers });
    response.once('close', () => (ended += response.writableEnded ? 0 : 1));
    if (url.startsWith('/v1/flows/slow')) return; // never answers
    if (url === '/v1/organization') {
      const id = headers.authorization === `Bearer ${NEIGHBOUR}` ? 'neighbour' : 'ours';
      if (![REVOKED, LIMITED].includes(headers.authorization!.slice('Bearer '.length)))
        return void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ id }));
    }
    if (url.endsWith('/validate')) return void validated(request, response);
    const status = { [`Bearer ${REVOKED}`]: 401, [`Bearer ${LIMITED}`]: 429 }[headers.authorization ?? ''];
    response.writeHead(status ?? 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ items: [{ flow_id: 'table' }], next_cursor: null }));
  });
  await new Promise<void>((resolve) => flowBuilder.listen(0, '127.0.0.1', resolve));
  const { port } = flowBuilder.address() as AddressInfo;
  app = await startConsole({
    SERVICE_URLS: `flow-builder=http://127.0.0.1:${port},notifications=http://127.0.0.1:1`,
  });
});
afterAll(async () => {
  await app.stop();
  flowBuilder.closeAllConnections();
  flowBuilder.close();
});

/** Validates large definitions slowly. */
const VALIDATION_MS = 500;
async function validated(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let bytes = 0;
  for await (const chunk of request) bytes += (chunk as Buffer).length;
  const [status, said] =
    bytes > 1_000
      ? [200, { valid: true, errors: [], warnings: [], infos: [], required_variables: [], stats: { bytes } }]
      : [
          400,
          { code: 'invalid_request', detail: 'no', errors: [{ path: '/definition/nodes', message: 'no' }] },
        ];
  if (status === 200) await sleep(VALIDATION_MS);
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(said));
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
async function connected(headers: Record<string, string> = bearer(KEY)): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), {
    requestInit: { headers },
  });
  await client.connect(transport);
  return client;
}
const textOf = ({ content }: CallToolResult) => (content[0] as { text: string }).text;

/** A JSON-RPC message. */
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const callOf = (name: string, given: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
});
const ACCEPT = { accept: 'application/json, text/event-stream' };
const post = (body: object, headers: Record<string, string> = bearer(KEY), url = `${app.url}/mcp`) =>
  fetch(url, json(body, { ...ACCEPT, ...headers }));

test('serves the tools and resources of `parley mcp` and forwards the key', async () => {
  const client = await connected({ ...bearer(KEY), cookie: 'a=b', 'x-forwarded-for': '192.0.2.7' });
  const { tools } = await client.listTools();
  expect(tools).toHaveLength(18);
  expect(tools.find(({ name }) => name === 'publish')?.annotations).toMatchObject({ destructiveHint: true });
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain(
    'parley://examples/booking',
  );
  const found = (await client.callTool({ name: 'list_flows', arguments: {} })) as CallToolResult;
  expect(found.structuredContent).toEqual({ items: [{ flow_id: 'table' }], next_cursor: null });
  const { url, headers } = asked.at(-1)!;
  expect(url).toBe('/v1/flows?limit=20');
  expect(headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-forwarded-for': '192.0.2.7' });
  expect(headers).not.toHaveProperty('cookie');
  const absent = (await client.callTool({ name: 'list_deliveries', arguments: {} })) as CallToolResult;
  expect([absent.isError, textOf(absent)]).toEqual([
    true,
    expect.stringContaining('not connected to voice-api'),
  ]);
  const keyless = (await client.callTool({
    name: 'send_notification',
    arguments: { channels: ['in_app'], message: 'x' },
  })) as CallToolResult;
  expect(textOf(keyless)).toContain('has no key of notifications');
  await client.close();
});

test('an unreachable service does not affect the others', async () => {
  const client = await connected(bearer(`${KEY}+nt_test_1`));
  expect((await client.callTool({ name: 'list_flows', arguments: {} })).isError).toBeFalsy();
  await client.close();
  expect((await post(ping, bearer('nt_test_1'))).status).toBe(502);
});

describe('credentials', () => {
  test.each<[string, Record<string, string>, number, string]>([
    ['nobody', {}, 401, 'key_refused'],
    ['a password', { authorization: 'Basic YTpi' }, 401, 'key_refused'],
    ['a key that was revoked', bearer(REVOKED), 401, 'key_refused'],
    ['a good key beside one', bearer(`va_test_1+${KEY}`), 401, 'key_refused'],
    ['two keys of one service', bearer(`${KEY}+fb_test_2`), 401, 'key_refused'],
    ['a rate-limited key', bearer(LIMITED), 429, 'too_many'],
    ['a page of another site', { ...bearer(KEY), origin: 'https://evil.example' }, 403, 'other_site'],
  ])('%s is refused', async (_who, headers, status, code) => {
    const response = await post(ping, headers);
    expect([response.status, await response.json()]).toEqual([status, { error: expect.any(String), code }]);
    expect(response.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
  });

  test('a browser session does not authenticate', async () => {
    const cookie = await signIn(app);
    expect((await post(ping, { cookie })).status).toBe(401);
  });

  test('the own page may call it; an identity token is for every configured service', async () => {
    expect((await post(ping, { ...bearer('a.b.c'), origin: app.url })).status).toBe(200);
    expect(asked.at(-1)!.headers.authorization).toBe('Bearer a.b.c');
  });

  test('there is no OAuth metadata', async () => {
    expect((await fetch(`${app.url}/.well-known/oauth-protected-resource`)).status).toBe(404);
  });
});

describe('requests', () => {
  test('a response is JSON without a session', async () => {
    const response = await post(ping);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('mcp-session-id')).toBeNull();
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
  });

  test.each(['GET', 'DELETE', 'PUT', 'OPTIONS'])('%s is not allowed', async (method) => {
    const response = await fetch(`${app.url}/mcp`, { method, headers: bearer(KEY) });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('refuses invalid messages and batches', async () => {
    expect((await post([ping, ping])).status).toBe(400);
    expect((await post({ hello: 1 })).status).toBe(400);
    let deep: object = {};
    for (let level = 0; level < 70; level += 1) deep = { deep };
    expect((await post(callOf('validate', { definition: deep }))).status).toBe(400);
    const broken = {
      method: 'POST',
      headers: { ...ACCEPT, ...bearer(KEY), 'content-type': 'application/json' },
    };
    expect((await fetch(`${app.url}/mcp`, { ...broken, body: '{"jsonrpc"' })).status).toBe(400);
    const plain = { ...broken, headers: { ...broken.headers, 'content-type': 'text/plain' } };
    expect((await fetch(`${app.url}/mcp`, { ...plain, body: JSON.stringify(ping) })).status).toBe(415);
  });

  test('a message has at most 2.25 MiB', async () => {
    const response = await post(callOf('validate', { definition: { name: 'x'.repeat(2.25 * 1024 * 1024) } }));
    expect([response.status, await response.json()]).toEqual([
      413,
      expect.objectContaining({ code: 'too_large' }),
    ]);
  });

  test('logs names and no values', async () => {
    await post(callOf('list_flows', { q: 'a secret' }));
    await eventually(() => app.log.text().includes('"tool":"list_flows"'));
    expect(app.log.text()).not.toContain('a secret');
    expect(app.log.text()).not.toContain(KEY);
  });
});

describe('a slow tool', () => {
  const slow = callOf('get_flow', { flow_id: 'slow' });
  const arrived = () => asked.filter(({ url }) => url.startsWith('/v1/flows/slow')).length;

  test('ends with a response, and its request to the service ends too', async () => {
    const hurried = await listen(express().use('/mcp', mcpRoutes(app.deps, 200)), {
      host: '127.0.0.1',
      port: 0,
    });
    const before = ended;
    try {
      const response = await post(slow, bearer(KEY), `${hurried.url}/mcp`);
      expect([response.status, await response.json()]).toEqual([
        504,
        expect.objectContaining({ code: 'too_slow' }),
      ]);
      await eventually(() => ended === before + 1);
    } finally {
      await hurried.close();
    }
  });

  test('ends when its caller disconnects', async () => {
    const [before, sent] = [ended, arrived()];
    const leaving = new AbortController();
    const init = { ...json(slow, { ...ACCEPT, ...bearer(KEY) }), signal: leaving.signal };
    const waiting = fetch(`${app.url}/mcp`, init).catch(() => 'left');
    await eventually(() => arrived() === sent + 1);
    leaving.abort();
    expect(await waiting).toBe('left');
    await eventually(() => ended === before + 1);
  });
});

describe('fairness', () => {
  const times = <T>(count: number, make: (place: number) => T): T[] =>
    Array.from({ length: count }, (_, place) => make(place));
  const large = callOf('validate', {
    definition: {
      nodes: [
        { id: 'b', type: 'branch' },
        { id: 'e', type: 'end' },
      ],
      edges: times(20_000, (place) => ({
        source: 'b',
        target: 'e',
        variable: 'user_input',
        op: 'contains',
        value: `x${place}`,
      })),
    },
  });

  test('the flow builder validates definitions while /health still responds', async () => {
    const init = json(large, { ...ACCEPT, ...bearer(KEY) });
    /** The longest wait for /health, as a part of the time that the validation takes. */
    const worstPart = async (): Promise<number> => {
      let done = false;
      const askedAtMs = performance.now();
      const answer = fetch(`${app.url}/mcp`, init)
        .then((response) => response.json())
        .finally(() => (done = true));
      let worst = 0;
      while (!done) {
        const begun = performance.now();
        await (await fetch(`${app.url}/health`)).arrayBuffer();
        worst = Math.max(worst, performance.now() - begun);
        await sleep(2);
      }
      expect(await answer).toMatchObject({
        result: { structuredContent: { valid: true, stats: { bytes: expect.any(Number) } } },
      });
      return worst / (performance.now() - askedAtMs);
    };
    // Other tests use the CPU too: a process that is held up by its own work never gets there.
    await eventually(async () => (await worstPart()) < 0.5);
  });

  test('reports an invalid definition as findings, like `parley mcp`', async () => {
    const response = await post(callOf('validate', { definition: { nodes: 1 } }));
    expect(await response.json()).toMatchObject({
      result: {
        structuredContent: {
          valid: false,
          findings: [{ severity: 'error', code: 'not_a_definition', pointer: '/nodes' }],
        },
      },
    });
  });

  test('answers eight requests of one organisation at a time without delaying others', async () => {
    const slow = callOf('get_flow', { flow_id: 'slow' });
    const arrived = () => asked.filter(({ url }) => url.startsWith('/v1/flows/slow')).length;
    const [before, leaving] = [arrived(), new AbortController()];
    const init = { ...json(slow, { ...ACCEPT, ...bearer(KEY) }), signal: leaving.signal };
    const ask = () =>
      fetch(`${app.url}/mcp`, init).then(
        async (response) => (await response.json()) as { code?: string },
        () => ({ code: 'left' }),
      );
    const inFlight = times(8, ask);
    await eventually(() => arrived() === before + 8);
    const codes: (string | undefined)[] = [];
    const waiting = times(17, () => ask().then(({ code }) => codes.push(code)));
    await eventually(() => codes[0] === 'too_many'); // sixteen wait
    expect((await post(callOf('list_flows', {}), bearer(NEIGHBOUR))).status).toBe(200);
    expect(arrived()).toBe(before + 8);
    leaving.abort();
    await Promise.all([...inFlight, ...waiting]);
    await eventually(async () => (await post(ping)).status === 200);
  });

  test('refuses a body with too many names before parsing it', async () => {
    const definition = times(20, (list) =>
      Object.fromEntries(times(9_000, (place) => [`${list}-${place}`, 1])),
    );
    const response = await post(callOf('validate', { definition: { definition } }));
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('different names'),
    ]);
  });
});

test.each<[string, object | null]>([
  ['Bearer fb_live_a', { 'flow-builder': 'fb_live_a' }],
  ['bearer fb_live_a+nt_live_b', { 'flow-builder': 'fb_live_a', notifications: 'nt_live_b' }],
  ['Bearer a.b-c.d_e', { 'voice-api': 'a.b-c.d_e' }],
  ['Bearer fb_live_a+a.b.c', null],
  ['Bearer fb_live_a,va_live_b', null],
  ['Bearer fb_live_a fb_live_b', null],
  ['Bearer ', null],
])('%s', (header, keys) => {
  expect(credentialsIn(header, ['voice-api'])).toEqual(keys);
});
