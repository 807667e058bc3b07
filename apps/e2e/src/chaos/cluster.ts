// Runs two replicas of each service on one Postgres and one Redis, and restarts a dead one. Each
// replica is HTTP side and worker (ROLE=all), so a kill takes both and the other replica must do
// both jobs.
import { SERVICES, untilReady, type RunningService, type ServiceName, type Stack } from '@parley/dev/stack';
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { processIdentity } from '@parley/testing/servers';
import type { Ledger } from './ledger.ts';
import type { Fault } from './plan.rules.ts';
import type { ChaosRedis } from './redis.ts';
import type { Mood } from './receivers.ts';
import { exhaustMemory, freeze, slowDown } from './signals.ts';

export interface Cluster {
  readonly stack: Stack;
  /** Origins of a service's replicas, including dead ones. */
  origins(service: ServiceName): readonly string[];
  /** Name and origin of every replica. */
  readonly replicas: readonly {
    readonly as: string;
    readonly service: ServiceName;
    readonly origin: string;
  }[];
  /** Whether every replica answers GET /ready with 200. */
  allReady(): Promise<boolean>;
  /** Stops restarting replicas; resolves when no start is in progress. */
  endSupervision(): Promise<void>;
  /** Live processes that were started here, with pids. */
  living(): string[];
}

interface Replica {
  readonly as: string;
  readonly service: ServiceName;
  readonly origin: string;
  process: RunningService;
  killed: boolean;
}

/** About the delay of Kubernetes after a first crash. */
const START_AGAIN_AFTER_MS = 1_000;
const READY_TIMEOUT_MS = 4_000;

/** `clockFile`: CHAOS_CLOCK of the replicas (stepped-clock.cjs). */
export async function startCluster(
  stack: Stack,
  ledger: Ledger,
  clockFile: string,
): Promise<Cluster & Faults> {
  const identities = new Map<string, { pid: number; identity: string | null }>();
  const note = (name: string, pid: number): void =>
    void identities.set(`${name} ${pid}`, { pid, identity: processIdentity(pid) });
  for (const [name, pid] of Object.entries(stack.pids)) note(name, pid);

  let supervising = true;
  const restarts = new Set<Promise<void>>();
  const watch = (replica: Replica): void => {
    void replica.process.exited.then((exit) => {
      if (!supervising) return;
      if (!replica.killed) {
        const how = exit.signal ?? `status ${exit.code}`;
        ledger.problem(`${replica.as} ended by itself (${how}). ${replica.process.tail()}`);
      }
      const restart = startAgain(replica).finally(() => restarts.delete(restart));
      restarts.add(restart);
    });
  };
  const startAgain = async (replica: Replica): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, START_AGAIN_AFTER_MS));
    if (!supervising) return;
    replica.killed = false;
    replica.process = await stack.startReplica(replica.service, replica.as, {
      port: Number(new URL(replica.origin).port),
    });
    note(replica.as, replica.process.pid);
    watch(replica);
  };

  const replicas: Replica[] = [];
  for (const service of SERVICES) {
    const first = stack.services[service].process;
    const second = await stack.startReplica(service, `${service}-2`);
    note(`${service}-2`, second.pid);
    replicas.push({ as: service, service, origin: first.origin, process: first, killed: false });
    replicas.push({ as: `${service}-2`, service, origin: second.origin, process: second, killed: false });
  }
  await Promise.all(replicas.map((replica) => untilReady(replica.process)));
  replicas.forEach(watch);

  const kill = (replica: Replica): void => {
    replica.killed = true;
    if (replica.process.exit() === null) process.kill(replica.process.pid, 'SIGKILL');
  };
  const isReady = async ({ origin }: Replica): Promise<boolean> => {
    try {
      const answer = await fetch(`${origin}/ready`, { signal: AbortSignal.timeout(READY_TIMEOUT_MS) });
      await answer.arrayBuffer();
      return answer.status === 200;
    } catch {
      return false; // dead, or not listening yet
    }
  };

  return {
    stack,
    replicas,
    origins: (service) => replicas.filter((one) => one.service === service).map(({ origin }) => origin),
    allReady: async () => (await Promise.all(replicas.map(isReady))).every(Boolean),
    endSupervision: async () => {
      supervising = false;
      await Promise.allSettled(restarts);
    },
    living: () =>
      [...identities]
        .filter(([, { pid, identity }]) => identity !== null && processIdentity(pid) === identity)
        .map(([name]) => name),
    killReplica: ({ service, replica }) => kill(replicas[service * 2 + replica]!),
    killService: ({ service }) => [0, 1].forEach((replica) => kill(replicas[service * 2 + replica]!)),
    freezeReplica: async ({ service, replica }, forMs) => {
      const { process: running } = replicas[service * 2 + replica]!;
      if (running.exit() === null) await freeze(running.pid, forMs);
    },
    exhaustReplica: async ({ service, replica }) => {
      const one = replicas[service * 2 + replica]!;
      one.killed = true;
      if (one.process.exit() === null) await exhaustMemory(one.process);
    },
    stepClock: async ({ service, replica }, offsetMs, forMs) => {
      const one = replicas[service * 2 + replica]!;
      // One that just starts does not take the signal yet.
      if (!(await isReady(one))) return;
      const { pid, exit } = one.process;
      const step = (toMs: number): void => {
        writeFileSync(clockFile, String(toMs));
        if (exit() === null) process.kill(pid, 'SIGUSR2');
      };
      step(offsetMs);
      await delay(forMs).finally(() => step(0));
    },
  };
}

type Target = Fault['target'];

export interface Faults {
  killReplica(target: Target): void;
  killService(target: Target): void;
  freezeReplica(target: Target, forMs: number): Promise<void>;
  exhaustReplica(target: Target): Promise<void>;
  stepClock(target: Target, offsetMs: number, forMs: number): Promise<void>;
}

const STEP_MS = 3_600_000;
const MOODS = {
  receivers_failing: 'failing',
  receivers_hanging: 'hanging',
  receivers_losing: 'losing',
} as const;

/** Makes a fault, and resolves when it is over and recovery begins. */
export async function makeFault(
  fault: Fault,
  { stack, ...cluster }: Cluster & Faults,
  redis: ChaosRedis,
  setMood: (mood: Mood) => void,
): Promise<void> {
  const { postgres } = stack.stores;
  if (!postgres) throw new Error('Faults need a Postgres that was started here.');
  const { kind, durationMs, target } = fault;
  switch (kind) {
    case 'replica_killed':
      return cluster.killReplica(target);
    case 'service_killed':
      return cluster.killService(target);
    case 'replica_frozen':
      return cluster.freezeReplica(target, durationMs);
    case 'replica_out_of_memory':
      return cluster.exhaustReplica(target);
    case 'clock_stepped':
      return cluster.stepClock(target, target.replica === 0 ? STEP_MS : -STEP_MS, durationMs);
    case 'redis_restarted':
      return redis.restart('in_order');
    case 'redis_killed':
      return redis.restart('at_once');
    case 'redis_flushed':
      return redis.flush();
    case 'redis_frozen':
      return redis.freeze(durationMs);
    case 'redis_away':
      return redis.leave(durationMs);
    case 'redis_failed_over':
      return redis.failOver();
    case 'redis_swallowed':
      return redis.swallow(durationMs);
    case 'redis_disk_full':
      return redis.fillDisk(durationMs);
    case 'jobs_malformed':
      return redis.addMalformedJobs();
    case 'postgres_slowed':
      return slowDown(postgres.pid, durationMs);
    case 'postgres_restarted':
      return postgres.restart('in_order');
    case 'postgres_killed':
      return postgres.restart('at_once');
    case 'receivers_failing':
    case 'receivers_hanging':
    case 'receivers_losing':
      setMood(MOODS[kind]);
      await delay(durationMs).finally(() => setMood('well'));
  }
}
