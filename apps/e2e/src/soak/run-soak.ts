// A long steady load without faults, with samples of every replica's metrics.
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '@parley/dev/stack';
import { SEEN_ON_ARRIVAL, accountFor, type Account } from '../chaos/account.rules.ts';
import type { Ledger } from '../chaos/ledger.ts';
import type { Cluster } from '../chaos/cluster.ts';
import {
  checkBounces,
  checkClicks,
  checkConversations,
  checkKeys,
  checkVersions,
} from '../chaos/check-apis.ts';
import type { Receivers } from '../chaos/receivers.ts';
import { startWorkload } from '../chaos/start-workload.ts';
import {
  computeFloor,
  isGrowing,
  sumMetric,
  computeTrend,
  type Sample,
  type Tolerance,
  type Trend,
} from './slope.rules.ts';

/** The sampled figures. A figure with a tolerance fails the run when it grows. */
const FIGURES: readonly {
  readonly name: string;
  readonly unit: string;
  readonly read: (metrics: string) => number | null;
  readonly tolerance?: Tolerance;
  /** Uses the minimum of each minute: what garbage collection leaves. */
  readonly floor?: true;
}[] = [
  {
    name: 'memory',
    unit: 'MiB',
    read: (text) => scaled(sumMetric(text, 'process_resident_memory_bytes'), 1 / MIB),
    tolerance: { share: 0.1, atLeast: 16 },
  },
  {
    name: 'old space of the heap, floor',
    floor: true,
    unit: 'MiB',
    read: (text) => scaled(sumMetric(text, 'nodejs_heap_space_size_used_bytes', { space: 'old' }), 1 / MIB),
    tolerance: { share: 0.1, atLeast: 8 },
  },
  {
    name: 'event-loop lag, p99',
    unit: 'ms',
    read: (text) => scaled(sumMetric(text, 'nodejs_eventloop_lag_p99_seconds'), 1000),
  },
  {
    name: 'database connections',
    unit: '',
    read: (text) =>
      sum(
        sumMetric(text, 'database_pool_connections', { state: 'idle' }),
        sumMetric(text, 'database_pool_connections', { state: 'busy' }),
      ),
    tolerance: { share: 0, atLeast: 3 },
  },
  {
    name: 'open handles',
    unit: '',
    read: (text) => sumMetric(text, 'nodejs_active_handles_total'),
    tolerance: { share: 0.2, atLeast: 10 },
  },
  {
    name: 'age of queues',
    unit: 's',
    read: (text) => sumMetric(text, 'queue_age_seconds'),
    tolerance: { share: 0, atLeast: 5 },
  },
  {
    name: 'unacknowledged messages',
    unit: '',
    read: (text) => sumMetric(text, 'outbox_messages', { state: 'unacknowledged' }),
    tolerance: { share: 0, atLeast: 20 },
  },
];
const MIB = 1024 * 1024;
const scaled = (value: number | null, factor: number): number | null =>
  value === null ? null : value * factor;
const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

const SAMPLE_EVERY_MS = 5_000;
const SAMPLES_A_MINUTE = 60_000 / SAMPLE_EVERY_MS;
const SCRAPE_TIMEOUT_MS = 4_000;
/** The load's quiet hours may last another minute. */
const QUIET_MAX_MS = 90_000;
/**
 * A process fills its heap for minutes before the first full collection, so shorter runs are not
 * judged.
 */
const JUDGED_FROM_SECONDS = 300;

export interface SoakOptions {
  readonly clockFile: string;
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

export interface FigureReport extends Trend {
  readonly replica: string;
  readonly figure: string;
  readonly unit: string;
  readonly samples: number;
  readonly grows: boolean;
}

export interface SoakReport {
  readonly seconds: number;
  readonly figures: readonly FigureReport[];
  readonly kinds: Account['kinds'];
  readonly requests: number;
  readonly failed_requests: Readonly<Record<string, number>>;
  readonly lost: readonly string[];
  readonly problems: readonly string[];
}

export async function runSoak(
  stack: Stack,
  receivers: Receivers,
  ledger: Ledger,
  options: SoakOptions,
): Promise<SoakReport> {
  const { seconds, signal, print } = options;
  const { cluster, client, inbox, load, startedAtMs } = await startWorkload(
    stack,
    receivers,
    ledger,
    options,
  );
  const sampled = new Map<string, Sample[]>();
  try {
    for (let round = 1; Date.now() - startedAtMs < seconds * 1000; round += 1) {
      await delay(Math.max(0, startedAtMs + round * SAMPLE_EVERY_MS - Date.now()), undefined, { signal });
      await sample(cluster, (Date.now() - startedAtMs) / 1000, sampled);
      if (round % SAMPLES_A_MINUTE === 0) print(`  ${(round * SAMPLE_EVERY_MS) / 1000} s of ${seconds} s`);
    }
  } finally {
    if (signal.aborted) client.giveUp();
    await load.stop();
    await cluster.endSupervision();
  }

  const account = () => accountFor(ledger.items(), ledger.sightings);
  await inbox.lookAtAll();
  const until = Date.now() + QUIET_MAX_MS;
  while ([...SEEN_ON_ARRIVAL].some((kind) => account().kinds[kind].lost > 0) && Date.now() < until)
    await delay(500);
  for (const left of await checkConversations(client, ledger, load.expected))
    ledger.problem(`a conversation did not end: ${left}`);
  await checkClicks(client, ledger, load.expected);
  await checkBounces(client, ledger, load.expected);
  await checkVersions(client, ledger, cluster, load.expected);
  await checkKeys(client, ledger, cluster, load.expected);
  const { kinds, lost, unidentified } = account();
  for (const what of unidentified) ledger.problem(`seen twice without an id that says so: ${what}`);
  return {
    seconds,
    figures: reports(cluster, sampled, seconds),
    kinds,
    requests: ledger.requests(),
    failed_requests: ledger.failures,
    lost,
    problems: [...ledger.problems],
  };
}

async function sample(cluster: Cluster, at: number, sampled: Map<string, Sample[]>): Promise<void> {
  await Promise.all(
    cluster.replicas.map(async ({ as, origin }) => {
      const answer = await fetch(`${origin}/metrics`, {
        signal: AbortSignal.timeout(SCRAPE_TIMEOUT_MS),
      }).catch(
        () => null, // one sample less
      );
      const text = (await answer?.text().catch(() => '')) ?? '';
      for (const { name, read } of FIGURES) {
        const value = read(text);
        const key = `${as} ${name}`;
        if (value !== null) sampled.set(key, [...(sampled.get(key) ?? []), { at, value }]);
      }
    }),
  );
}

function reports(cluster: Cluster, sampled: Map<string, Sample[]>, seconds: number): FigureReport[] {
  return FIGURES.flatMap(({ name, unit, tolerance, floor }) =>
    cluster.replicas.map(({ as }): FigureReport => {
      const samples = sampled.get(`${as} ${name}`) ?? [];
      const trend = computeTrend(floor ? computeFloor(samples, SAMPLES_A_MINUTE) : samples);
      const tooMuch =
        seconds >= JUDGED_FROM_SECONDS && tolerance !== undefined && isGrowing(trend, seconds, tolerance);
      return { replica: as, figure: name, unit, ...trend, samples: samples.length, grows: tooMuch };
    }),
  );
}

export function soakTable({ figures, kinds, requests, failed_requests: failed }: SoakReport): string[] {
  const cell = (value: number | null): string => (value === null ? '–' : value.toFixed(1)).padStart(11);
  const rows = figures.map(
    ({ figure, unit, replica, first, last, largest, perHour, grows: tooMuch }) =>
      `${`${figure}${unit === '' ? '' : `, ${unit}`}`.padEnd(36)}${replica.padEnd(18)}${[first, last, largest, perHour].map(cell).join('')}${tooMuch ? '  grows' : ''}`,
  );
  const accepted = Object.entries(kinds).map(
    ([kind, { accepted: all, delivered }]) => `${kind} ${delivered}/${all}`,
  );
  const failures = Object.entries(failed).map(([what, count]) => `${what}: ${count}`);
  return [
    '',
    `${'figure'.padEnd(36)}${'replica'.padEnd(18)}${['first', 'last', 'largest', 'per hour'].map((name) => name.padStart(11)).join('')}`,
    ...rows,
    '',
    `delivered of accepted: ${accepted.join(', ')}`,
    `${requests} requests, of which failed: ${failures.join(', ') || 'none'}`,
  ];
}
