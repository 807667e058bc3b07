import { spawn } from 'node:child_process';
import { createIds, createLog, createSealer, createSecrets, Secret } from '@parley/runtime';
import { createPool } from '@parley/postgres';
import { createTestDatabase } from '@parley/testkit';
import { createInbox, createOutbox, createGroupedOutbox, openQueues, tendOutbox } from './src/index.ts';
import { inTransaction } from '@parley/postgres';
const mode = process.argv[2];
const port = 7399;
const args = ['--port', String(port), '--save', '', '--appendonly', 'no', ...(process.argv.slice(3))];
let redis = spawn('/tmp/redis-server', args, { stdio: 'ignore' });
await new Promise(r => setTimeout(r, 300));
const a = await createTestDatabase('flow-builder'); const b = await createTestDatabase('voice-api');
const log = createLog({ service: 'x', level: 'info', destination: { write: (s) => { process.stdout.write('   ' + s.slice(0, 300).trimEnd() + '\n'); } } as any });
const pa = createPool({ url: new Secret(a.url), applicationName: 'a', connectionsMax: 10, log });
const pb = createPool({ url: new Secret(b.url), applicationName: 'b', connectionsMax: 10, log });
await pb.query('CREATE TABLE effects (id text)');
const sealer = await createSealer(createSecrets({ env: { K: `k1:${Buffer.alloc(32, 7).toString('base64')}` }, clock: Date.now }), 'env://K');
const url = new Secret(`redis://127.0.0.1:${port}`);
let jobs = 0; const outcomes: Record<string, number> = {};
const recorder = { onJob: (e: any) => { jobs++; outcomes[e.outcome] = (outcomes[e.outcome] ?? 0) + 1; } };
const qa = openQueues({ url, prefix: 'p', clock: Date.now, log });
const qb = openQueues({ url, prefix: 'p', clock: Date.now, log, recorder });
const ids = createIds();
let ahead = 0; const clock = () => Date.now() + ahead;
const outbox = createOutbox({ service: 'flow-builder', queues: qa, sealer, ids, clock });
const grouped = createGroupedOutbox({ pool: pa, outbox });
const tending = tendOutbox({ service: 'flow-builder', pool: pa, queues: qa, clock, log, sweepEveryMs: 1000 });
const inbox = createInbox({ service: 'voice-api', pool: pb, queues: qb, sealer, ids, clock, log });
const conc = Number(process.env.CONC ?? 10);
const startWorker = () => qb.worker('conversation-events', [inbox.consume('conversation.event', async (sql, p) => { await sql('INSERT INTO effects VALUES ($1)', [p.id]); })], { concurrency: conc });
const ev = (i: number) => ({ contract: 'conversation.event' as const, organizationId: 'acme', payload: { id: `e${i}`, type: 'speech.final' as const, conversation_id: 'c1', bot_id: 'bot_1', occurred_at: '2026-11-20T18:00:00Z', data: { turn_index: i, text: 'I would like to book a table for four people tonight, please.', confidence: 0.9, start_ms: 100, end_ms: 300 } } });
let n = 0;
const send = async () => { const e = await inTransaction(pa, (sql) => outbox.enqueue(sql, [ev(n++)])); return outbox.ring(e); };
const left = async () => Number((await pa.query('SELECT count(*)::int c FROM outbox')).rows[0].c);
const eff = async () => (await pb.query('SELECT count(*)::int c, count(distinct id)::int d FROM effects')).rows[0];
const cpu0 = () => process.cpuUsage();
const wait = (ms: number) => new Promise(r => setTimeout(r, ms));
const until0 = async (ms = 60000) => { const t = Date.now(); while (await left() > 0) { if (Date.now() - t > ms) { console.log('NOT EMPTY', await left()); return false; } await wait(20); } console.log('empty after', Date.now() - t, 'ms', JSON.stringify(await eff()), JSON.stringify(outcomes)); return true; };
if (mode === 'restart') {
  startWorker();
  for (let i = 0; i < 20; i++) console.log(i === 0 ? await send() : (await send(), ''));
  await until0();
  const beat = setInterval(() => { void send(); }, 5);
  await wait(300);
  redis.kill('SIGKILL'); await wait(2500); console.log('restarting'); redis = spawn('/tmp/redis-server', args, { stdio: 'ignore' });
  await wait(2000); clearInterval(beat); console.log('sent', n, 'left', await left()); ahead = 11_000;
  await until0(); 
} else if (mode === 'freeze') {
  startWorker(); await send(); await until0();
  const beat = setInterval(() => { void send(); }, 20);
  await wait(200); redis.kill('SIGSTOP'); console.log('frozen');
  const t = Date.now(); const r = await send(); console.log('ring while frozen', r, Date.now() - t, 'ms');
  await wait(Number(process.env.FREEZE ?? 8000)); redis.kill('SIGCONT'); console.log('thawed'); await wait(1000); clearInterval(beat); console.log('sent', n); ahead = 11_000; await until0();
} else if (mode === 'freezeforever') {
  startWorker(); await send(); await until0(); redis.kill('SIGSTOP'); await wait(500);
  const t = Date.now(); await qb.close(); console.log('qb closed', Date.now() - t); 
} else if (mode === 'oom') {
  startWorker(); await send(); await until0();
  const { Redis } = await import('ioredis'); const r = new Redis(url.reveal()); 
  await r.config('SET', 'maxmemory', '900000'); await r.config('SET', 'maxmemory-policy', 'noeviction');
  for (let i = 0; i < 200; i++) await send();
  const c = cpu0(); await wait(3000); const d = process.cpuUsage(c); console.log('cpu share while OOM', ((d.user + d.system) / 3e6).toFixed(2));
  await r.config('SET', 'maxmemory', '0'); ahead = 11_000; await until0(); r.disconnect();
} else if (mode === 'oom2') {
  for (let i = 0; i < 2000; i++) await send();
  const { Redis } = await import('ioredis'); const r = new Redis(url.reveal()); 
  await r.config('SET', 'maxmemory', '900000'); await r.config('SET', 'maxmemory-policy', 'noeviction');
  startWorker(); await wait(500);
  const c = cpu0(); await wait(3000); const d = process.cpuUsage(c); console.log('cpu share while OOM', ((d.user + d.system) / 3e6).toFixed(2), JSON.stringify(outcomes));
  await r.config('SET', 'maxmemory', '0'); ahead = 11_000; await until0(); r.disconnect();
} else if (mode === 'bench') {
  const N = Number(process.env.N ?? 20000);
  // enqueue only
  let t = performance.now();
  let k = 0; const inflight = 200;
  const quiet = process.env.SINGLE === '1';
  await Promise.all(Array.from({ length: inflight }, async () => { while (k < N) { k++; quiet ? await send() : await grouped.send([ev(n++)]); } }));
  let ms = performance.now() - t; console.log('enqueue', quiet ? 'tx+ring' : 'grouped (rings in background)', Math.round(N / ms * 1000), '/s');
  await outbox.close();
  console.log('all rung after', Math.round(performance.now() - t), 'ms');
  t = performance.now(); const c = process.cpuUsage(); startWorker();
  while (jobs < N) await wait(10);
  ms = performance.now() - t; let d = process.cpuUsage(c); console.log('consume', Math.round(N / ms * 1000), '/s, cpu', Math.round((d.user + d.system) / N), 'us per message');
  await until0();
  // together
  jobs = 0; k = 0; t = performance.now(); const c2 = process.cpuUsage();
  await Promise.all(Array.from({ length: inflight }, async () => { while (k < N) { k++; await grouped.send([ev(n++)]); } }));
  while (jobs < N) await wait(5); ms = performance.now() - t; d = process.cpuUsage(c2); console.log('enqueue→effect committed, one process', Math.round(N / ms * 1000), '/s cpu', Math.round((d.user + d.system) / N), 'us');
  await until0();
  // latency
  const lat: number[] = []; 
  for (let i = 0; i < 300; i++) { const j = jobs; const t0 = performance.now(); await send(); while (jobs === j) await new Promise(setImmediate); lat.push(performance.now() - t0); }
  lat.sort((x, y) => x - y); console.log('latency tx→effect p50', lat[150].toFixed(1), 'p99', lat[297].toFixed(1));
} else if (mode === 'leak') {
  startWorker();
  for (let round = 0; round < 8; round++) {
    let k = 0; await Promise.all(Array.from({ length: 100 }, async () => { while (k < 20000) { k++; await grouped.send([ev(n++)]); } }));
    await until0(); (globalThis as any).gc?.(); console.log('heap', Math.round(process.memoryUsage().heapUsed / 1e6), 'rss', Math.round(process.memoryUsage().rss / 1e6));
  }
}
if (mode !== 'freezeforever') {
let t = Date.now(); await qb.close(); console.log('qb.close', Date.now() - t); t = Date.now(); await inbox.close(); await tending.close(); await grouped.close(); await outbox.close(); await qa.close(); console.log('rest close', Date.now() - t);
await pa.end(); await pb.end(); await a.drop(); await b.drop();
}
redis.kill('SIGKILL');
if (mode === 'freezeforever') process.exit(0);
