// Measures the cost of the guard: the same signed 2 KB POSTs by a bare undici Pool, `deliver` and
// `request`, to one receiver on loopback, 100 in flight, in turns. Run from the root, receiver and
// sender on a core each:
//   taskset -c 0 node --import tsx libs/outbound/test/bench.ts
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { Pool } from 'undici';
import { createAddressPolicy, createOutbound } from '../src/index.ts';

const ROUNDS = 9;
const CONCURRENCY = 100;
const DELIVERIES = 20_000;
const EVERYDAY_REQUESTS = 3_000; // got is slow
const SECRET = 'whsec_bench';

/** The receiver, in its own process. */
const RECEIVER = `
const server = require('node:http').createServer((request, response) => {
  request.resume().on('end', () => response.end('{"ok":true}'));
});
server.keepAliveTimeout = 60000;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

type Send = (body: string, headers: Record<string, string>) => Promise<boolean>;

const payload = { id: 'evt_0', event: 'speech.final', data: { text: 'x'.repeat(1_900) } };

async function round(send: Send, count: number): Promise<{ perSecond: number; cpuUs: number }> {
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (next < count) {
        next += 1;
        const body = JSON.stringify({ ...payload, id: `evt_${next}` });
        const signature = createHmac('sha256', SECRET).update(body).digest('hex');
        const headers = { 'content-type': 'application/json', 'x-signature-256': `sha256=${signature}` };
        if (!(await send(body, headers))) throw new Error('not delivered');
      }
    }),
  );
  const seconds = (performance.now() - startedMs) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: count / seconds, cpuUs: (user + system) / count };
}

const child = spawn('taskset', ['-c', '1', process.execPath, '-e', RECEIVER], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
const url = `http://127.0.0.1:${port}/hook`;
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONCURRENCY });
const outbound = createOutbound({ policy: createAddressPolicy({ allow: ['127.0.0.1'] }), log: pino() });

const senders: Record<string, { readonly count: number; readonly send: Send }> = {
  'undici Pool': {
    count: DELIVERIES,
    send: async (body, headers) => {
      const answer = await pool.request({ path: '/hook', method: 'POST', headers, body });
      await answer.body.text();
      return answer.statusCode === 200;
    },
  },
  deliver: {
    count: DELIVERIES,
    send: async (body, headers) => (await outbound.deliver({ url, headers, body, timeoutMs: 15_000 })).ok,
  },
  request: {
    count: EVERYDAY_REQUESTS,
    send: async (body, headers) => (await outbound.request({ url, headers, body, timeoutMs: 15_000 })).ok,
  },
};

const results = new Map(
  Object.keys(senders).map((name) => [name, [] as { perSecond: number; cpuUs: number }[]]),
);
for (const { send, count } of Object.values(senders)) await round(send, count / 4); // warm-up
for (let turn = 0; turn < ROUNDS; turn += 1) {
  for (const [name, { send, count }] of Object.entries(senders))
    results.get(name)?.push(await round(send, count));
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
const bare = results.get('undici Pool') ?? [];
for (const [name, rounds] of results) {
  const ratio = median(rounds.map(({ perSecond }, turn) => perSecond / (bare[turn]?.perSecond ?? NaN)));
  const perSecond = Math.round(median(rounds.map((one) => one.perSecond)));
  const cpuUs = median(rounds.map((one) => one.cpuUs)).toFixed(1);
  const cpuRatio = median(rounds.map((one, turn) => (bare[turn]?.cpuUs ?? NaN) / one.cpuUs));
  const ratios = `${ratio.toFixed(3)} by throughput, ${cpuRatio.toFixed(3)} by CPU`;
  console.log(`${name.padEnd(12)} ${perSecond}/s  ${cpuUs} us CPU each  of a bare Pool: ${ratios}`);
}
await outbound.close();
await pool.close();
child.kill();
