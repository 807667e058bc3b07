// One run: load, planned faults, quiet, account.
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '@parley/dev/stack';
import { SEEN_ON_ARRIVAL, accountFor, findRecoveryMs, type Account } from './account.rules.ts';
import type { Ledger } from './ledger.ts';
import { makeFault } from './cluster.ts';
import { measureConsumption, type Consumption, type QueueEvent } from './consumption.rules.ts';
import {
  checkBounces,
  checkClicks,
  checkConversations,
  checkKeys,
  checkVersions,
  countUnfinishedWork,
} from './check-apis.ts';
import { planFaults, type FaultKind } from './plan.rules.ts';
import type { Receivers } from './receivers.ts';
import type { ChaosRedis } from './redis.ts';
import { startWorkload } from './start-workload.ts';

export interface ChaosOptions {
  readonly redis: ChaosRedis;
  readonly clockFile: string;
  readonly seconds: number;
  readonly seed: number;
  readonly kinds?: readonly FaultKind[];
  /** The shortest pause between two faults. */
  readonly pauseMs?: number | undefined;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

export interface FaultReport {
  /** Seconds since the start of the load. */
  readonly at: number;
  readonly kind: FaultKind;
  readonly target: string | null;
  readonly lasted_ms: number;
  /** From the end of the load until everything accepted was seen. */
  readonly recovered_ms: number | null;
  /**
   * The queue that was consumed last after the fault, when work came before the next fault of
   * Redis.
   */
  readonly consumed: Consumption | undefined;
}

export interface ChaosReport {
  readonly seed: number;
  readonly seconds: number;
  readonly kinds: Account['kinds'];
  readonly faults: readonly FaultReport[];
  readonly requests: number;
  /** Attempts without success, by service and status. */
  readonly failed_requests: Readonly<Record<string, number>>;
  readonly duplicate_share: number;
  readonly conversations: { readonly held: number; readonly not_ended: readonly string[] };
  /** From the end of the load until everything accepted was seen. */
  readonly quiet_after_ms: number | null;
  readonly lost: readonly string[];
  readonly unidentified: readonly string[];
  readonly problems: readonly string[];
}

const READY_LOOK_MS = 250;
/** The load continues until the last fault is recovered from, up to this long. */
const RECOVERY_MAX_MS = 40_000;
const QUIET_MAX_MS = 90_000;
/** The promise (docs/platform.md#workers-that-work). */
export const CONSUMED_WITHIN_MS = 15_000;
/** Redis keeps the last hundred events of a queue. */
const EVENTS_READ_EVERY_MS = 500;
/** Sweepers run every five seconds, so a repeated send has arrived by then. */
const STAYS_QUIET_MS = 6_000;

export async function runChaos(
  stack: Stack,
  receivers: Receivers,
  ledger: Ledger,
  options: ChaosOptions,
): Promise<{ report: ChaosReport; living: () => string[] }> {
  const { seconds, seed, kinds, signal, print } = options;
  const { cluster, client, inbox, load, startedAtMs } = await startWorkload(
    stack,
    receivers,
    ledger,
    options,
  );

  const readyAtMs: number[] = [];
  let looking = true;
  const readiness = (async () => {
    while (looking) {
      const askedAtMs = Date.now(); // readiness counts from the request, not from the answer
      if (await cluster.allReady()) readyAtMs.push(askedAtMs);
      await sleep(READY_LOOK_MS);
    }
  })();

  const events: QueueEvent[] = [];
  const watching = (async () => {
    const places = new Map<string, string>();
    while (looking) {
      events.push(...(await options.redis.readEvents(places)));
      await sleep(EVENTS_READ_EVERY_MS);
    }
  })();

  type Made = {
    report: Omit<FaultReport, 'recovered_ms' | 'consumed'>;
    beganAtMs: number;
    endedAtMs: number;
  };
  const made: Made[] = [];
  const recoveries = () =>
    made.map(({ endedAtMs }) => findRecoveryMs(endedAtMs, ledger.items(), ledger.sightings, readyAtMs));
  try {
    for (const fault of planFaults(seed, seconds, kinds, options.pauseMs)) {
      await sleep(startedAtMs + fault.atMs - Date.now(), signal);
      const beganAtMs = Date.now();
      const target = chooseReplica(fault, cluster.replicas);
      print(`  ${time(beganAtMs - startedAtMs)}  ${fault.kind}${target === null ? '' : ` ${target}`}`);
      await makeFault(fault, cluster, options.redis, receivers.setMood);
      const endedAtMs = Date.now();
      const at = round((beganAtMs - startedAtMs) / 1000);
      made.push({
        report: { at, kind: fault.kind, target, lasted_ms: endedAtMs - beganAtMs },
        beganAtMs,
        endedAtMs,
      });
    }
    await sleep(startedAtMs + seconds * 1000 - Date.now(), signal);
    const until = Date.now() + RECOVERY_MAX_MS;
    while (recoveries().includes(null) && Date.now() < until) await sleep(READY_LOOK_MS, signal);
  } catch (error) {
    client.giveUp();
    await load.stop();
    await cluster.endSupervision();
    throw error;
  } finally {
    looking = false;
    await Promise.all([readiness, watching]);
  }

  print(`  ${time(Date.now() - startedAtMs)}  the load ends; waiting for quiet`);
  await load.stop();
  const loadEndedAtMs = Date.now();
  const quietAfterMs = await untilQuiet();
  await inbox.lookAtAll();
  const notEnded = await checkConversations(client, ledger, load.expected);
  await checkClicks(client, ledger, load.expected);
  await checkBounces(client, ledger, load.expected);
  await checkVersions(client, ledger, cluster, load.expected);
  await checkKeys(client, ledger, cluster, load.expected);
  await cluster.endSupervision();

  const recovered = recoveries();
  const faults = made.map(({ report, endedAtMs }, index): FaultReport => {
    const atMs = recovered[index] ?? null;
    const isNext = ({ report: next }: Made) => next.kind.startsWith('redis_');
    const untilMs = made.slice(index + 1).find(isNext)?.beganAtMs ?? loadEndedAtMs;
    const consumed = measureConsumption(endedAtMs, untilMs, CONSUMED_WITHIN_MS, events);
    return { ...report, recovered_ms: atMs === null ? null : atMs - endedAtMs, consumed };
  });
  for (const { at, kind, recovered_ms } of faults)
    if (recovered_ms === null) ledger.problem(`not everything worked again after ${kind} at ${at} s`);
  const {
    kinds: accounts,
    lost,
    unidentified,
    duplicateShare,
  } = accountFor(ledger.items(), ledger.sightings);
  const report: ChaosReport = {
    seed,
    seconds,
    kinds: accounts,
    faults,
    requests: ledger.requests(),
    failed_requests: ledger.failures,
    duplicate_share: duplicateShare,
    conversations: { held: load.expected.conversations.size, not_ended: notEnded },
    quiet_after_ms: quietAfterMs,
    lost,
    unidentified,
    problems: [...ledger.problems],
  };
  return { report, living: cluster.living };

  /** Waits until everything accepted was seen and nothing more arrives. */
  async function untilQuiet(): Promise<number | null> {
    const until = loadEndedAtMs + QUIET_MAX_MS;
    let quietSinceMs: number | null = null;
    let sightings = -1;
    while (Date.now() < until) {
      await inbox.look();
      const { kinds: now } = accountFor(ledger.items(), ledger.sightings);
      const missing = [...SEEN_ON_ARRIVAL].some((kind) => now[kind].lost > 0);
      const still =
        !missing && ledger.sightings.length === sightings && (await countUnfinishedWork(cluster)) === 0;
      sightings = ledger.sightings.length;
      if (!still) quietSinceMs = null;
      else quietSinceMs ??= Date.now();
      if (quietSinceMs !== null && Date.now() - quietSinceMs >= STAYS_QUIET_MS)
        return quietSinceMs - loadEndedAtMs;
      await sleep(READY_LOOK_MS, signal);
    }
    ledger.problem(`it was not quiet ${QUIET_MAX_MS / 1000} s after the load`);
    return null;
  }
}

function chooseReplica(
  { kind, target }: { kind: FaultKind; target: { service: number; replica: number } },
  replicas: readonly { readonly as: string; readonly service: string }[],
): string | null {
  if (kind.startsWith('replica_') || kind === 'clock_stepped')
    return replicas[target.service * 2 + target.replica]!.as;
  return kind === 'service_killed' ? replicas[target.service * 2]!.service : null;
}

async function sleep(forMs: number, signal?: AbortSignal): Promise<void> {
  await delay(Math.max(0, forMs), undefined, signal ? { signal } : {});
}

const round = (seconds: number): number => Math.round(seconds * 10) / 10;
const time = (forMs: number): string => `${(forMs / 1000).toFixed(1).padStart(6)} s`;
