// What deliveries are measured against: a loop over an undici Pool that posts bytes which were
// signed before, a hundred at once, and remembers nothing. Is told by message what to send for how
// long, and answers with the count.
import { Pool } from 'undici';

process.on('message', async ({ origin, samples, seconds, concurrency }) => {
  const pool = new Pool(origin, { connections: concurrency });
  const until = performance.now() + seconds * 1000;
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  let sent = 0;
  let next = 0;
  async function lane() {
    while (performance.now() < until) {
      const { body, headers } = samples[next++ % samples.length];
      const answer = await pool.request({ method: 'POST', path: '/bare', headers, body });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
      sent += 1;
    }
  }
  try {
    await Promise.all(Array.from({ length: concurrency }, lane));
    const cpu = process.cpuUsage(cpuBefore);
    process.send({
      operations: sent,
      seconds: (performance.now() - startedAt) / 1000,
      cpuSeconds: (cpu.user + cpu.system) / 1e6,
    });
  } catch (error) {
    process.send({ error: String(error) });
  }
  await pool.close();
});
process.on('disconnect', () => process.exit());
