// Whose fault it is: what is slow, absent or full on our side is 503 with Retry-After, for every endpoint. Derived from /openapi.json,
// so that a new endpoint is in it by itself: one without a valid request here is a problem.
import { setTimeout as delay } from 'node:timers/promises';
import { setOrganization } from '@parley/organizations';
import type { Platform } from '@parley/platform';
import type { TcpProxy } from '@parley/testkit';
import { operationsOf, pathToSomething, type Operation, type TenantMatrix } from './access-matrix.ts';
import type { ServiceUnderTest } from './service-under-test.ts';

type Service = Pick<ServiceUnderTest<Platform>, 'server' | 'deps' | 'issueKey'>;
type Given = object | (() => object);

export interface ValidRequests extends TenantMatrix {
  /** Bodies of operations whose path names nothing; a function where each request needs another one. */
  readonly more?: Readonly<Record<string, Given>>;
  /** Operations that can be called once on what their path names, beside those that delete it. */
  readonly once?: readonly string[];
  /** Operations that nobody can call here, by operation id, each with the reason. */
  readonly without: Readonly<Record<string, string>>;
}

interface Ready {
  readonly operation: Operation;
  readonly path: string;
  readonly body: object | undefined;
}

interface Outcome {
  readonly isDone: boolean;
  /** Done, or 503 with Retry-After. */
  readonly isRight: boolean;
  readonly told: string;
}

/** Whose requests they are. */
export const OUR_FAULTS = 'our-faults';
/** As often is each endpoint called while a store stands still. */
const ROUNDS = 12;
const STILL_MS = 2_000;
/** Requests of a round start within this time of the moment in which the store stops. */
const AROUND_MS = 40;
/** Beside each other: as many as the pool has connections, or all would wait for one. */
const AT_ONCE = 12;
/** Longer than any wait that ends in a 503. */
const ANSWER_MS = 60_000;

/** Paths to what may be read or written again: made once for all tests, since plans cap how much there may be. */
const sharedOf = new WeakMap<ValidRequests, Map<string, string>>();

/** Makes valid requests, and says of which operations none can be made. */
async function requestsTo(service: Service, valid: ValidRequests) {
  const key = await service.issueKey(OUR_FAULTS);
  const { sql, clock } = service.deps;
  await setOrganization(sql, OUR_FAULTS, { plan: 'enterprise' }, clock());
  const all = await operationsOf(service, { everyCredential: true });
  const unknown = Object.keys(valid.without).filter(
    (id) => !all.some(({ operationId }) => operationId === id),
  );
  const operations = all.filter(({ operationId }) => !valid.without[operationId]);
  const shared = sharedOf.get(valid) ?? new Map<string, string>();
  sharedOf.set(valid, shared);

  /** What is read or written may be so again; what is deleted, or done once only, is made for each request. */
  async function ready(operation: Operation): Promise<Ready> {
    const { method, path, operationId, takesBody } = operation;
    const isOnce = method === 'delete' || valid.once?.includes(operationId);
    const target = (!isOnce && shared.get(path)) || (await pathToSomething(path, valid, OUR_FAULTS));
    if (!isOnce) shared.set(path, target);
    const given = valid.bodies?.[operationId] ?? valid.more?.[operationId] ?? (takesBody ? {} : undefined);
    const body = typeof given === 'function' ? (given as () => object)() : given;
    return { operation, path: target + (valid.queries?.[operationId] ?? ''), body };
  }

  async function send({ operation, path, body }: Ready): Promise<Outcome> {
    const answer = await fetch(service.server.url + path, {
      method: operation.method.toUpperCase(),
      redirect: 'manual',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream');
    const text = isStream ? '' : (await answer.text()).slice(0, 300);
    if (isStream) await answer.body?.cancel();
    const isPostponed = answer.status === 503 && answer.headers.has('retry-after');
    const told = `${operation.operationId} (${operation.method} ${path}): ${answer.status} ${text}`;
    return { isDone: answer.ok, isRight: answer.ok || isPostponed, told };
  }
  return { operations, unknown, ready, send };
}

/** Every valid request is answered with 2xx while nothing is wrong: else the others prove nothing. */
export async function invalidRequests(service: Service, valid: ValidRequests): Promise<string[]> {
  const { operations, unknown, ready, send } = await requestsTo(service, valid);
  const problems = unknown.map((id) => `${id} stands in \`without\`, and there is no such operation`);
  for (const operation of operations) {
    const { isDone, told } = await send(await ready(operation));
    if (!isDone) problems.push(told);
  }
  return problems;
}

/** Twelve valid requests to each endpoint while the store behind `proxy` stands still for two seconds from a random moment. */
export async function stallProblems(
  service: Service,
  valid: ValidRequests,
  proxy: TcpProxy,
): Promise<string[]> {
  const { operations, ready, send } = await requestsTo(service, valid);
  const problems = new Set<string>();
  for (let at = 0; at < operations.length; at += AT_ONCE) {
    const some = operations.slice(at, at + AT_ONCE);
    for (let round = 0; round < ROUNDS; round += 1) {
      const requests = await Promise.all(some.map(ready));
      const answers = requests.map(async (one) => {
        await delay(Math.random() * AROUND_MS);
        return send(one);
      });
      const still = delay(Math.random() * AROUND_MS)
        .then(() => proxy.freeze())
        .then(() => Promise.race([delay(STILL_MS), Promise.allSettled(answers)]))
        .finally(() => proxy.restore());
      const [outcomes] = await Promise.all([Promise.all(answers), still]);
      for (const { isRight, told } of outcomes) if (!isRight) problems.add(told);
    }
  }
  return [...problems];
}

/** No table of Postgres takes a row any more, as where its disk is full: each writing endpoint is 503, and the others answer. */
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
      problems: outcomes.filter(({ isRight }) => !isRight).map(({ told }) => told),
      refused: outcomes.filter(({ isDone }) => !isDone).length,
    };
  } finally {
    await sql('DROP FUNCTION disk_full() CASCADE');
  }
}
