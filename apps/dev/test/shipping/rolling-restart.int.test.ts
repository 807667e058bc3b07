// A roll-out, as k8s/base/service does it: replicas are restarted one by one under load, a new one
// is ready before an old one goes, and who goes is first taken out of the rotation. No request may
// fail. The balancer here repeats nothing: a caller sees every request that a replica drops.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { bundleApps, SERVICES } from '../../src/stack/index.ts';
import { freePort } from '@parley/testing/servers';
import { createTestDatabase, eventually, testQueue } from '@parley/testing';
import { root } from './facts.ts';

const SERVICE = 'flow-builder';
const CALLERS = 6;
const REQUESTS_BETWEEN = 60;

interface Replica {
  readonly port: number;
  readonly child: ChildProcess;
  readonly agent: http.Agent;
  readonly exited: Promise<number | null>;
  served: number;
}

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let balancer: http.Server;
let rotation: Replica[] = [];
const everyReplica: Replica[] = [];
let key = '';
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  database = await createTestDatabase(SERVICE);
  await bundleApps({ root, apps: [SERVICE, 'cli'] });
  const sealing = `k1:${Buffer.alloc(32, 3).toString('base64')}`;
  const { url, prefix } = testQueue();
  env = {
    ...process.env,
    NODE_ENV: 'production',
    ROLE: 'http',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    DATABASE_URL: database.url,
    QUEUE_URL: url,
    QUEUE_PREFIX: prefix,
    SEALING: sealing,
    DATA_KEY: 'env://SEALING',
    QUEUE_KEY: 'env://SEALING',
    SIGNING: SERVICES.map((peer) => `${peer}=${sealing}`).join('\n'),
    MESSAGE_KEYS: 'env://SIGNING',
  };
  const words = ['keys', 'create', '--product', SERVICE, '--org', 'acme', '--name', 'roll'];
  const made = execFileSync(process.execPath, [join(root, 'dist/apps/cli/main.mjs'), ...words], { env });
  ({ key } = JSON.parse(made.toString()) as { key: string });
  balancer = http.createServer(forward);
  await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve));
}, 120_000);

afterAll(async () => {
  for (const { child, agent } of everyReplica) {
    child.kill('SIGKILL');
    agent.destroy();
  }
  await Promise.all(everyReplica.map(({ exited }) => exited));
  balancer.closeAllConnections();
  await new Promise((resolve) => balancer.close(resolve));
  await database.drop();
}, 60_000);

let turn = 0;
function forward(incoming: http.IncomingMessage, answer: http.ServerResponse): void {
  const replica = rotation[(turn += 1) % rotation.length]!;
  const { method, url, headers } = incoming;
  const outgoing = http.request(
    { host: '127.0.0.1', port: replica.port, agent: replica.agent, method, path: url, headers },
    (reply) => {
      replica.served += 1;
      answer.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(answer);
      reply.once('error', () => answer.destroy());
    },
  );
  outgoing.once('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
  incoming.pipe(outgoing);
}

async function startReplica(): Promise<Replica> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(root, `dist/apps/${SERVICE}/main.mjs`)], {
    env: { ...env, PORT: String(port) },
    stdio: 'ignore',
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const agent = new http.Agent({ keepAlive: true });
  const replica = { port, child, agent, exited, served: 0 };
  everyReplica.push(replica);
  await eventually(
    async () => (await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined))?.status === 200,
    { timeoutMs: 60_000 },
  );
  return replica;
}

/** One request after another: writing, reading and executing, until told to stop. */
async function call(
  done: () => boolean,
  statuses: number[],
  failures: string[],
  caller: number,
): Promise<void> {
  const { port } = balancer.address() as AddressInfo;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const definition = {
    nodes: [
      { id: 'start', type: 'message', text: 'Hello.' },
      { id: 'end', type: 'end', message: 'Bye.' },
    ],
    edges: [{ source: 'start', target: 'end' }],
  };
  for (let count = 0; !done(); count += 1) {
    const id = `roll-${caller}-${count}`;
    for (const [method, path, body] of [
      ['POST', '/v1/flows', { flow_id: id, name: id, definition }],
      ['POST', `/v1/flows/${id}/publish`, {}],
      ['POST', `/product/v1/flows/${id}/execute`, { session_id: id }],
      ['GET', `/v1/flows/${id}`, undefined],
    ] as const) {
      try {
        const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
        const text = await answer.text();
        statuses.push(answer.status);
        if (answer.status >= 300) failures.push(`${method} ${path} ${answer.status} ${text}`);
      } catch (error) {
        failures.push(`${method} ${path} ${String(error)} ${String((error as Error).cause)}`);
      }
    }
  }
}

test('replicas are restarted one by one under load, and no request fails', async () => {
  rotation = await Promise.all([startReplica(), startReplica()]);
  const statuses: number[] = [];
  const failures: string[] = [];
  let stop = false;
  const callers = Array.from({ length: CALLERS }, (_, caller) =>
    call(() => stop, statuses, failures, caller),
  );
  const more = async () => {
    const wanted = statuses.length + REQUESTS_BETWEEN;
    await eventually(() => statuses.length + failures.length >= wanted, { timeoutMs: 60_000 });
  };
  await more();
  for (const old of [...rotation]) {
    const fresh = await startReplica(); //                      maxSurge: 1, and readiness before traffic
    rotation = [...rotation.filter((one) => one !== old), fresh]; // the endpoint goes, then (preStop) the signal comes
    expect(old.served).toBeGreaterThan(0);
    old.child.kill('SIGTERM'); //                                in the middle of its requests in flight
    await more();
    expect(await old.exited).toBe(0);
    expect(fresh.served).toBeGreaterThan(0);
  }
  stop = true;
  await Promise.all(callers);
  expect(failures).toEqual([]);
  expect(statuses.length).toBeGreaterThanOrEqual(3 * REQUESTS_BETWEEN);
}, 180_000);
