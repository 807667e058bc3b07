// A consumer that is killed with SIGKILL while it has a message in flight.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@parley/testing';
import { sqlOf } from '@parley/server/postgres';
import { countQuarantined, releaseQuarantined, startOutboxSweeper } from '../src/index.ts';
import { enqueueReleased } from '../src/messages/apply-messages.ts';
import { conversationEvent, ENGINES, KEYRING, openBench, type Bench } from './bench.ts';
import type { KilledConsumerSettings } from './killed-consumer.ts';

/** The lease of a dead worker must end within the test. */
const LEASE_MS = 1_000;

/** Runs a consumer in its own process; resolves when it is dead. */
async function killed(
  { url, prefix, consumingUrl: databaseUrl, onClose }: Bench,
  dies: KilledConsumerSettings['dies'],
): Promise<void> {
  const settings: KilledConsumerSettings = {
    url,
    prefix,
    databaseUrl,
    keyring: KEYRING,
    leaseMs: LEASE_MS,
    dies,
  };
  const script = join(import.meta.dirname, 'killed-consumer.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(settings)], {
    stdio: 'inherit',
    cwd: import.meta.dirname,
  });
  onClose(async () => child.kill('SIGKILL')); // where it does not die, the run would wait for it
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
}

describe.each(ENGINES)('on %s', (engine) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(engine);
  });
  afterEach(() => bench.reset());
  afterAll(() => bench.close());

  test.each(['before commit', 'after commit'] as const)('killed %s: applied once', async (dies) => {
    const queues = await bench.openReadyQueues();
    const { log } = bench;
    const tending = startOutboxSweeper({
      service: 'flow-builder',
      pool: bench.producing,
      queues,
      messageKeys: bench.messageKeys['flow-builder'],
      clock: bench.now,
      log,
    });
    bench.onClose(() => tending.close());
    const enqueued = await bench.commit(queues, [conversationEvent('a')]);
    await bench.outbox(queues).enqueueJobs(enqueued);

    await killed(bench, dies);
    expect(await bench.effects()).toEqual(dies === 'after commit' ? ['a'] : []);
    expect(await bench.outboxRows()).toHaveLength(1);

    bench.consume(queues, { leaseMs: LEASE_MS });
    await eventually(async () => (await bench.outboxRows()).length === 0);
    expect(await bench.effects()).toEqual(['a']);
    expect(bench.outcomes).toContain(dies === 'after commit' ? 'repeated' : 'done');
  });

  test('killed between messages of one job, twice: each is applied once, in order', async () => {
    const queues = await bench.openReadyQueues();
    const ids = ['e', 'd', 'c', 'b', 'a']; // of one conversation
    const enqueued = await bench.commit(
      queues,
      ids.map((id) => conversationEvent(id)),
    );
    await bench.outbox(queues).enqueueJobs(enqueued);
    /** In the order in which they were applied. */
    const applied = async () => {
      const rows = await sqlOf(bench.consuming)<{ event_id: string }>(
        'SELECT event_id FROM effects ORDER BY ctid',
      );
      return rows.map((row) => row.event_id);
    };
    for (const count of [2, 4]) {
      await killed(bench, 'between messages');
      expect(await applied()).toEqual(ids.slice(0, count));
    }

    // The job was with two workers that died, so it is split: the sweeper re-enqueues each message.
    bench.consume(queues, { leaseMs: LEASE_MS });
    await eventually(() => bench.outcomes.includes('split'));
    bench.aheadMs = 20_000;
    const sweeper = startOutboxSweeper({
      service: 'flow-builder',
      pool: bench.producing,
      queues,
      messageKeys: bench.messageKeys['flow-builder'],
      clock: bench.now,
      log: bench.log,
    });
    bench.onClose(() => sweeper.close());
    await eventually(async () => (await bench.outboxRows()).length === 0);
    expect(await applied()).toEqual(ids);
  }, 60_000);

  test('a message that kills its consumers is quarantined, and the others are applied', async () => {
    const queues = await bench.openReadyQueues();
    // A job for each: a shared one is split (gathered.int.test.ts).
    const written = await Promise.all(
      ['a', 'poison', 'b'].map((id) => bench.commit(queues, [conversationEvent(id)])),
    );
    const enqueued = { ids: written.flatMap(({ ids }) => ids), rows: written.flatMap(({ rows }) => rows) };
    await bench.outbox(queues).enqueueJobs(enqueued);
    for (let deaths = 0; deaths < 3; deaths += 1) await killed(bench, 'of poison');

    const notified: string[] = [];
    bench.consume(queues, {
      leaseMs: LEASE_MS,
      onQuarantine: async (_sql, { organizationId, id }) => void notified.push(`${organizationId} ${id}`),
    });
    const poison = enqueued.ids[1]!;
    await eventually(() => notified.length > 0);
    expect(notified).toEqual([`acme ${poison}`]);
    // the other message was isolated
    await eventually(async () => (await bench.effects()).join() === 'a,b');
    expect(bench.outcomes).toContain('quarantined');
    const sql = sqlOf(bench.consuming);
    expect(await countQuarantined(sql, 'voice-api')).toContainEqual({ table: 'inbox_suspects', count: 1 });

    // Re-enqueued, it stays quarantined.
    const [row] = enqueued.rows.filter(({ id }) => id === poison);
    await bench.outbox(queues).enqueueJobs({ ids: [poison], rows: [{ ...row!, rings: 9 }] });
    await eventually(() => bench.outcomes.includes('repeated'));
    expect(await bench.effects()).toEqual(['a', 'b']);

    const where = { table: 'inbox_suspects', id: poison, organizationId: 'acme' };
    expect(await releaseQuarantined(sql, 'voice-api', where, new Date(bench.now()))).toBe(true);
    await enqueueReleased(
      bench.consuming,
      queues,
      await bench.messageKeys['voice-api'].current(),
      bench.now(),
    );
    await eventually(async () => (await bench.effects()).includes('poison'));
    expect(await countQuarantined(sql, 'voice-api')).toContainEqual({ table: 'inbox_suspects', count: 0 });
  }, 60_000);
});
