// A consumer that is really killed, with SIGKILL, while it has a message in hand.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { sqlOf } from '@parley/postgres';
import { countQuarantined, putBack, tendOutbox } from '../src/index.ts';
import { ringForPutBack } from '../src/messages/suspects.ts';
import { conversationEvent, ENGINES, KEYRING, openBench, type Bench } from './bench.ts';
import type { KilledConsumerSettings } from './killed-consumer.ts';

/** The lease of a dead worker must end within the test. */
const LEASE_MS = 1_000;

/** A consumer in a process of its own; gives when it is dead. */
async function killed(
  { url, prefix, consumingUrl: databaseUrl }: Bench,
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

    await killed(bench, dies);
    expect(await bench.effects()).toEqual(dies === 'after commit' ? ['a'] : []);
    expect(await bench.outboxRows()).toHaveLength(1);

    bench.consume(queues, { leaseMs: LEASE_MS });
    await eventually(async () => (await bench.outboxRows()).length === 0);
    expect(await bench.effects()).toEqual(['a']);
    expect(bench.outcomes).toContain(dies === 'after commit' ? 'repeated' : 'done');
  });

  test('a message that kills whoever applies it is set aside, and the others are applied', async () => {
    const queues = await bench.openReadyQueues();
    const enqueued = await bench.commit(
      queues,
      ['a', 'poison', 'b'].map((id) => conversationEvent(id)),
    );
    await bench.outbox(queues).ring(enqueued);
    for (let deaths = 0; deaths < 3; deaths += 1) await killed(bench, 'of poison');

    const told: string[] = [];
    bench.consume(queues, {
      leaseMs: LEASE_MS,
      setAside: async (_sql, { organizationId, id }) => void told.push(`${organizationId} ${id}`),
    });
    const poison = enqueued.ids[1]!;
    await eventually(() => told.length > 0);
    expect(told).toEqual([`acme ${poison}`]);
    await eventually(async () => (await bench.effects()).join() === 'a,b'); // who stood beside it was taken alone
    expect(bench.outcomes).toContain('quarantined');
    const sql = sqlOf(bench.consuming);
    expect(await countQuarantined(sql, 'voice-api')).toContainEqual({ table: 'inbox_suspects', count: 1 });

    // Rung for again, it stays where it is.
    const [row] = enqueued.rows.filter(({ id }) => id === poison);
    await bench.outbox(queues).ring({ ids: [poison], rows: [{ ...row!, rings: 9 }] });
    await eventually(() => bench.outcomes.includes('repeated'));
    expect(await bench.effects()).toEqual(['a', 'b']);

    const where = { table: 'inbox_suspects', id: poison, organizationId: 'acme' };
    expect(await putBack(sql, 'voice-api', where, new Date(bench.now()))).toBe(true);
    await ringForPutBack(
      bench.consuming,
      queues,
      await bench.messageKeys['voice-api'].current(),
      bench.now(),
    );
    await eventually(async () => (await bench.effects()).includes('poison'));
    expect(await countQuarantined(sql, 'voice-api')).toContainEqual({ table: 'inbox_suspects', count: 0 });
  }, 60_000);
});
