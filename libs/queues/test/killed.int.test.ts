// A consumer that is really killed, with SIGKILL, while it has a message in hand.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { tendOutbox } from '../src/index.ts';
import { conversationEvent, ENGINES, KEYRING, openBench, type Bench } from './bench.ts';
import type { KilledConsumerSettings } from './killed-consumer.ts';

/** The lease of a dead worker must end within the test. */
const LEASE_MS = 1_000;

describe.each(ENGINES)('on %s', (engine) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(engine);
  });
  afterEach(() => bench.reset());
  afterAll(() => bench.close());

  test.each(['before commit', 'after commit'] as const)('killed %s: applied once', async (dies) => {
    const queues = bench.openQueues();
    const { url, prefix, log } = bench;
    const tending = tendOutbox({
      service: 'flow-builder',
      pool: bench.producing,
      queues,
      messageKeys: bench.messageKeys['flow-builder'],
      clock: bench.now,
      log,
    });
    bench.onClose(() => tending.close());
    const enqueued = await bench.commit(queues, [conversationEvent('a')]);
    await bench.outbox(queues).ring(enqueued);

    const settings: KilledConsumerSettings = {
      url,
      prefix,
      databaseUrl: bench.consumingUrl,
      keyring: KEYRING,
      leaseMs: LEASE_MS,
      dies,
    };
    const script = join(import.meta.dirname, 'killed-consumer.ts');
    const child = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(settings)], {
      stdio: 'inherit',
      cwd: import.meta.dirname,
    });
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    expect(signal).toBe('SIGKILL');
    expect(await bench.effects()).toEqual(dies === 'after commit' ? ['a'] : []);
    expect(await bench.outboxRows()).toHaveLength(1);

    bench.consume(queues, { leaseMs: LEASE_MS });
    await eventually(async () => (await bench.outboxRows()).length === 0);
    expect(await bench.effects()).toEqual(['a']);
    expect(bench.outcomes).toContain(dies === 'after commit' ? 'repeated' : 'done');
  });
});
