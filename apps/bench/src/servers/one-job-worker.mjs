// What people build by hand: a BullMQ worker that posts webhooks, one job each, signed, with retries
// and without anything else. Gets a message with what to post for about how long; adds that many
// jobs first, and measures from the start of the worker to its last job.
import { createHmac, randomUUID } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'undici';

const [redisUrl, secret] = process.argv.slice(2);
const connect = () => new Redis(redisUrl, { maxRetriesPerRequest: null });
const connection = connect();
const RATE_GUESSED = 1_500;
const JOBS_PER_CALL = 500;
const KEEP = { removeOnComplete: true, attempts: 8, backoff: { type: 'exponential', delay: 1_000 } };
/** By what posts: jobs a second in the last window. */
const rates = new Map();

process.on('message', async ({ origin, samples, seconds, concurrency, posts }) => {
  const name = `one-job-${randomUUID()}`;
  const queue = new Queue(name, { connection });
  const pool = new Pool(origin, { connections: concurrency });
  const count = Math.max(concurrency, Math.round((rates.get(posts) ?? RATE_GUESSED) * seconds));
  for (let from = 0; from < count; from += JOBS_PER_CALL) {
    const jobs = Array.from({ length: Math.min(JOBS_PER_CALL, count - from) }, (_, index) => ({
      name: 'webhook',
      data: samples[(from + index) % samples.length],
      opts: KEEP,
    }));
    await queue.addBulk(jobs);
  }
  const post = {
    fetch: async (body, headers) => {
      const answer = await fetch(`${origin}/bare`, { method: 'POST', headers, body });
      await answer.arrayBuffer();
      return answer.status;
    },
    undici: async (body, headers) => {
      const answer = await pool.request({ method: 'POST', path: '/bare', headers, body });
      await answer.body.dump();
      return answer.statusCode;
    },
  }[posts];
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  let done = 0;
  const worker = new Worker(
    name,
    async ({ data: { body, headers } }) => {
      const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
      const status = await post(body, { ...headers, 'x-signature-256': signature });
      if (status !== 200) throw new Error(`answered ${status}`);
    },
    { connection: connect(), concurrency },
  );
  const failure = await new Promise((resolve) => {
    worker.on('completed', () => (done += 1) === count && resolve(undefined));
    worker.on('failed', (_job, error) => resolve(error));
    worker.on('error', resolve);
  });
  const took = (performance.now() - startedAt) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  await worker.close();
  await queue.obliterate({ force: true });
  await queue.close();
  await pool.close();
  rates.set(posts, count / took);
  if (failure) process.send({ error: String(failure) });
  else process.send({ operations: count, seconds: took, cpuSeconds: (cpu.user + cpu.system) / 1e6 });
});
process.on('disconnect', () => process.exit());
