// Checks that slow, absent or full stores of ours cause 503 with Retry-After, for every endpoint of
// /openapi.json. A new endpoint fails the tests until it has a valid request, or a reason for
// having none.
import { setTimeout as delay } from 'node:timers/promises';
import { setOrganization } from '@parley/server/organizations';
import type { Platform } from '@parley/platform';
import { tcpProxy, type TcpProxy } from '@parley/testing';
import { listOperations, pathToSomething, type Operation, type TenantMatrix } from './access-matrix.ts';
import type { ServiceUnderTest } from './service-under-test.ts';

type Service = Pick<ServiceUnderTest<Platform>, 'server' | 'deps' | 'issueKey' | 'env' | 'stop'>;
type Env = Readonly<Record<string, string>>;
type Given = object | (() => object);

/** To an endpoint whose path, credential or state no table makes. */
export interface PreparedRequest {
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ValidRequests extends TenantMatrix {
  /** Bodies by operation id; a function where each request needs a different one. */
  readonly more?: Readonly<Record<string, Given>>;
  /** Requests that are built one by one, by operation id; `path` has its parameters in braces. */
  readonly prepared?: Readonly<Record<string, (path: string) => Promise<PreparedRequest>>>;
  /** Operations, besides DELETE, that succeed only once on a resource. */
  readonly once?: readonly string[];
  /** Operations without a valid request, by operation id, with the reason. */
  readonly without?: Readonly<Record<string, string>>;
}

interface Ready extends PreparedRequest {
  readonly operation: Operation;
}

interface Outcome {
  readonly isDone: boolean;
  /** Done, or 503 with Retry-After. */
  readonly isRight: boolean;
  readonly message: string;
}

/** The organisation of the requests. */
export const OUR_FAULTS = 'our-faults';
/** Calls of each endpoint while a store is frozen. */
const ROUNDS = 12;
const STILL_MS = 2_000;
/** Requests of a round start within this time of the freeze. */
const AROUND_MS = 40;
/** Concurrent requests: about as many as the pool has connections. */
const AT_ONCE = 12;
/** Replicas whose stores are frozen independently: nearly all of a round is waiting. */
const REPLICAS = 4;
/** Longer than any wait that ends in a 503. */
const ANSWER_MS = 60_000;

/** Paths to shared resources, created once for all tests because plans cap their number. */
const sharedPaths = new WeakMap<ValidRequests, Map<string, string>>();

/** Builds and sends valid requests. */
async function requestsTo(service: Service, valid: ValidRequests) {
  const key = await service.issueKey(OUR_FAULTS);
  const { sql, clock } = service.deps;
  await setOrganization(sql, OUR_FAULTS, { plan: 'enterprise' }, clock());
  const all = await listOperations(service, { everyCredential: true });
  const unknown = Object.keys({ ...valid.without, ...valid.prepared }).filter(
    (id) => !all.some(({ operationId }) => operationId === id),
  );
  const operations = all.filter(({ operationId }) => !valid.without?.[operationId]);
  const shared = sharedPaths.get(valid) ?? new Map<string, string>();
  sharedPaths.set(valid, shared);

  /** Reads and writes share a resource; a DELETE and operations of `once` get a new one. */
  async function ready(operation: Operation): Promise<Ready> {
    const { method, path, operationId, takesBody } = operation;
    const prepare = valid.prepared?.[operationId];
    if (prepare) return { operation, ...(await prepare(path)) };
    const isOnce = method === 'delete' || valid.once?.includes(operationId);
    const target = (!isOnce && shared.get(path)) || (await pathToSomething(path, valid, OUR_FAULTS));
    if (!isOnce) shared.set(path, target);
    const given = valid.bodies?.[operationId] ?? valid.more?.[operationId] ?? (takesBody ? {} : undefined);
    const body = typeof given === 'function' ? (given as () => object)() : given;
    const whole = target + (valid.queries?.[operationId] ?? '');
    return { operation, path: whole, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  }

  async function send(
    { operation, path, body, headers }: Ready,
    { server }: Pick<Service, 'server'> = service,
  ): Promise<Outcome> {
    const answer = await fetch(server.url + path, {
      method: operation.method.toUpperCase(),
      redirect: 'manual',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(body === undefined ? {} : { body }),
    });
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream');
    const text = isStream ? '' : (await answer.text()).slice(0, 300);
    if (isStream) await answer.body?.cancel();
    const isPostponed = answer.status === 503 && answer.headers.has('retry-after');
    const message = `${operation.operationId} (${operation.method} ${path}): ${answer.status} ${text}`;
    const isDone = answer.ok || answer.status === 302;
    return { isDone, isRight: isDone || isPostponed, message };
  }
  return { operations, unknown, ready, send };
}

/** Every valid request gets 2xx while nothing is wrong: else the other checks prove nothing. */
export async function invalidRequests(service: Service, valid: ValidRequests): Promise<string[]> {
  const { operations, unknown, ready, send } = await requestsTo(service, valid);
  const problems = unknown.map((id) => `${id} stands in the list, and there is no such operation`);
  for (const operation of operations) {
    const { isDone, message } = await send(await ready(operation));
    if (!isDone) problems.push(message);
  }
  return problems;
}

/** Replicas of a service that reach each store through a proxy of their own. */
export interface FrozenReplicas {
  readonly replicas: readonly FrozenReplica[];
  stop(): Promise<void>;
}

interface FrozenReplica {
  readonly service: Pick<Service, 'server' | 'stop'>;
  readonly proxies: Readonly<Record<Store, TcpProxy>>;
}

type Store = 'postgres' | 'redis';

/** `start`: starts one more replica with the environment of `service`, changed. */
export async function startFrozenReplicas(
  { env }: Pick<Service, 'env'>,
  start: (env: Env) => Promise<Pick<Service, 'server' | 'stop'>>,
): Promise<FrozenReplicas> {
  const replicas = await Promise.all(
    Array.from({ length: REPLICAS }, async (): Promise<FrozenReplica> => {
      const postgres = await tcpProxy(env['DATABASE_URL']!);
      const redis = await tcpProxy(env['QUEUE_URL']!);
      const service = await start({ ...env, DATABASE_URL: postgres.url, QUEUE_URL: redis.url });
      return { service, proxies: { postgres, redis } };
    }),
  );
  const stop = async ({ service, proxies: { postgres, redis } }: FrozenReplica) => {
    await service.stop();
    await Promise.all([postgres.close(), redis.close()]);
  };
  return { replicas, stop: async () => void (await Promise.all(replicas.map(stop))) };
}

/**
 * Sends twelve valid requests to each endpoint of a replica while its store is frozen for two
 * seconds from a random moment. `service` prepares the requests; nothing of it is frozen.
 */
export async function stallProblems(
  service: Service,
  valid: ValidRequests,
  { replicas }: FrozenReplicas,
  store: Store,
): Promise<string[]> {
  const { operations, ready, send } = await requestsTo(service, valid);
  const problems = new Set<string>();

  async function round(some: readonly Operation[], replica: FrozenReplica): Promise<void> {
    const requests = await Promise.all(some.map(ready));
    const answers = requests.map(async (one) => {
      await delay(Math.random() * AROUND_MS);
      return send(one, replica.service);
    });
    const proxy = replica.proxies[store];
    const still = delay(Math.random() * AROUND_MS)
      .then(() => proxy.freeze())
      .then(() => Promise.race([delay(STILL_MS), Promise.allSettled(answers)]))
      .finally(() => proxy.restore());
    const [outcomes] = await Promise.all([Promise.all(answers), still]);
    for (const { isRight, message } of outcomes) if (!isRight) problems.add(message);
  }

  const parts: Operation[][] = [];
  for (let at = 0; at < operations.length; at += AT_ONCE) parts.push(operations.slice(at, at + AT_ONCE));
  await Promise.all(
    replicas.map(async (replica) => {
      for (let part = parts.shift(); part; part = parts.shift())
        for (let done = 0; done < ROUNDS; done += 1) await round(part, replica);
    }),
  );
  return [...problems];
}

/**
 * No table of Postgres accepts rows, as on a full disk: each writing endpoint is 503, and the
 * others answer.
 */
export async function fullDiskProblems(
  service: Service,
  valid: ValidRequests,
): Promise<{ problems: string[]; refused: number }> {
  const { sql } = service.deps;
  const { operations, ready, send } = await requestsTo(service, valid);
  const requests: Ready[] = [];
  for (const operation of operations) requests.push(await ready(operation));
  await sql(`CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`);
  await sql(`DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
      EXECUTE format('CREATE TRIGGER aa_disk_full BEFORE INSERT OR UPDATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION disk_full()', name);
    END LOOP; END $$`);
  try {
    const outcomes: Outcome[] = [];
    for (const request of requests) outcomes.push(await send(request));
    return {
      problems: outcomes.filter(({ isRight }) => !isRight).map(({ message }) => message),
      refused: outcomes.filter(({ isDone }) => !isDone).length,
    };
  } finally {
    await sql('DROP FUNCTION disk_full() CASCADE');
  }
}
