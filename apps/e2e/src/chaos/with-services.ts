// Starts receivers, servers and the built services for a run, and reports processes that survive
// it.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lineReport, openLedger } from '@parley/testing/servers';
import { removeHome, startStack, type Stack } from '@parley/dev/stack';
import { createLedger, type Ledger } from './ledger.ts';
import { startChaosRedis, type ChaosRedis } from './redis.ts';
import type { Topology } from './plan.rules.ts';
import { RETRY_WAITS, serviceEnvironment } from './prepare.ts';
import { startReceivers, type Receivers } from './receivers.ts';

export interface World {
  readonly stack: Stack;
  readonly receivers: Receivers;
  readonly ledger: Ledger;
  readonly redis: ChaosRedis;
  readonly signal: AbortSignal;
  /** Sets the clock of a replica (stepped-clock.cjs). */
  readonly clockFile: string;
}

export interface Outcome {
  /** Problems; none when the run went well. */
  readonly wrong: readonly string[];
  /** Text for standard output. */
  readonly json: object | undefined;
  /** Processes that still run after the stop. */
  readonly living: () => readonly string[];
}

export interface WithServicesOptions {
  /** Names the folder of logs and data. */
  readonly name: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly say: (line: string) => void;
  readonly topology?: Topology;
}

/** Ignored variables: a run always starts servers of its own, because it stops and fills them. */
const GIVEN_SERVERS = [
  'DATABASE_URL_FLOW_BUILDER',
  'DATABASE_URL_VOICE_API',
  'DATABASE_URL_NOTIFICATIONS',
  'QUEUE_URL',
  'REDIS_URL',
];

const STEPPED_CLOCK = new URL('stepped-clock.cjs', import.meta.url);

/** Returns the exit status. Keeps the folder of a failed run, with its logs. */
export async function withServices(
  { name, env, say, topology = 'single' }: WithServicesOptions,
  work: (world: World) => Promise<Outcome>,
): Promise<0 | 1> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => stopping.abort(new Error('stopped')));
  const root = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');
  const home = mkdtempSync(join(tmpdir(), `parley-${name}-`));
  const clockFile = join(home, 'clock');
  const ledger = createLedger(Date.now);
  const receivers = await startReceivers(ledger);
  const own = Object.fromEntries(Object.entries(env).filter(([key]) => !GIVEN_SERVERS.includes(key)));
  const redis = await startChaosRedis(topology, { root, home, path: env['PATH'] ?? '' });
  try {
    const stack = await startStack({
      root,
      home,
      released: true,
      queue: { kind: 'started', engine: redis.engine },
      env: {
        ...own,
        ...redis.env,
        ...serviceEnvironment(receivers),
        LOG_LEVEL: env['LOG_LEVEL'] || 'warn',
        CHAOS_CLOCK: clockFile,
        NODE_OPTIONS: `${env['NODE_OPTIONS'] ?? ''} --require=${fileURLToPath(STEPPED_CLOCK)}`,
      },
      serviceEnv: RETRY_WAITS,
      report: lineReport(say, () => performance.now()),
      signal: stopping.signal,
    });
    let outcome: Outcome;
    try {
      outcome = await work({ stack, receivers, ledger, redis, clockFile, signal: stopping.signal });
    } finally {
      await stack.stop();
      await redis.stop();
    }
    const leaked = [
      ...redis.living(),
      ...Object.keys(openLedger(join(home, 'processes.json')).living()),
      ...outcome.living(),
    ];
    const wrong = [...outcome.wrong, ...leaked.map((process) => `still runs: ${process}`)];
    if (outcome.json)
      console.log(JSON.stringify({ ...outcome.json, leaked, failed: wrong.length > 0 }, null, 2));
    for (const what of wrong) say(`✗ ${what}`);
    say(wrong.length > 0 ? `\n${wrong.length} things are wrong. Logs: ${home}/logs` : '\nNothing is wrong.');
    if (wrong.length === 0) await removeHome(home);
    return wrong.length === 0 ? 0 : 1;
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    say(`Stopped. Logs: ${home}/logs`);
    return 1;
  } finally {
    await redis.stop();
    await receivers.close();
  }
}
