// Sends valid and mutated requests to every operation with every kind of credential, judges every
// answer, and measures its cost.
import fc from 'fast-check';
import { SERVICES, type ServiceName } from '@parley/dev/stack';
import { createCosts, type Costs, type OperationCost } from './costs.ts';
import { createJudge, type FuzzAnswer, type Judge } from './judge.ts';
import { parseOperations, type Operation } from './operations.ts';
import { createRequests, type FuzzRequest } from './requests.ts';
import type { World } from './world.ts';

export interface FuzzOptions {
  readonly runs: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

export interface FuzzReport {
  readonly seed: number;
  readonly runs: number;
  readonly operations: number;
  /** Number of answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Operations without a successful answer: the run says little about them. */
  readonly neverSucceeded: readonly string[];
  /** By operation, the most expensive first. */
  readonly costs: readonly OperationCost[];
  readonly problems: readonly FuzzProblem[];
}

export interface FuzzProblem {
  readonly what: string;
  readonly operation: string;
  readonly credential: string;
  /** The request, for repetition. */
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: object;
    readonly body?: string;
  };
}

/** Requests in flight. */
const CONCURRENCY = 8;
const TIMEOUT_MS = 30_000;
/** Requests generated at a time, so that a long run needs no more memory. */
const BATCH = 500;
/** Ids stored per collection; the newest most likely still exist. */
const IDS_MAX = 50;
/** Stops after this many problems. */
const PROBLEMS_MAX = 50;

export async function runFuzz(world: World, options: FuzzOptions): Promise<FuzzReport> {
  const { runs, seed, signal, print } = options;
  const operations = await readOperations(world);
  const judge = createJudge([world.canary]);
  const ids = createIds(world);
  const costs = createCosts(world.origins);
  const statuses: Record<string, number> = {};
  const succeeded = new Set<string>();
  const problems: FuzzProblem[] = [];
  const before = await world.look();
  const any = fc.constantFrom(...operations.map(createRequests)).chain((requests) => requests);

  for (let from = 0; from < runs && problems.length < PROBLEMS_MAX; from += BATCH) {
    const numRuns = Math.min(BATCH, runs - from);
    const waiting = fc.sample(any, { seed: seed + from, numRuns });
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        for (let request = waiting.pop(); request; request = waiting.pop()) {
          signal.throwIfAborted();
          const { answer, found } = await sendRequest({ world, ids, judge, costs }, request);
          statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
          if (answer.status < 300) succeeded.add(formatName(request.operation));
          problems.push(...found);
        }
      }),
    );
    print(`  ${Math.min(from + BATCH, runs)} of ${runs} requests, ${problems.length} problems`);
  }
  if ((await world.look()) !== before) {
    const what = 'something of the watched organisation has changed';
    problems.push({ what, operation: '', credential: '', request: { method: '', url: '', headers: {} } });
  }
  const neverSucceeded = operations.map(formatName).filter((name) => !succeeded.has(name));
  return {
    seed,
    runs,
    operations: operations.length,
    statuses,
    neverSucceeded,
    costs: await costs.measure(),
    problems,
  };
}

const formatName = ({ service, id }: Operation): string => `${service} ${id}`;

async function readOperations(world: World): Promise<Operation[]> {
  const documents = await Promise.all(
    SERVICES.map(async (service) => {
      const response = await fetch(`${world.origins[service]}/openapi.json`);
      return parseOperations(service, await response.json());
    }),
  );
  return documents.flat();
}

interface FuzzContext {
  readonly world: World;
  readonly ids: KnownIds;
  readonly judge: Judge;
  readonly costs: Costs;
}

async function sendRequest({ world, ids, judge, costs }: FuzzContext, request: FuzzRequest) {
  const { operation, credential } = request;
  const url = `${world.origins[operation.service]}${buildPath(request, ids)}${buildQuery(request)}`;
  const authorization = world.credential(operation.service, credential);
  const headers = { ...request.headers, ...(authorization ? { authorization } : {}) };
  const sent = {
    method: operation.method,
    url,
    ...(request.body === undefined ? {} : { body: request.body }),
  };
  let answer: FuzzAnswer;
  let problems: string[];
  const started = performance.now();
  const again = () => send({ ...sent, headers });
  try {
    answer = await again();
    costs.note(formatName(operation), operation.service, performance.now() - started, again);
    problems = judge(operation, answer);
    if (answer.status < 300) ids.learn(operation, answer.text);
  } catch (error) {
    answer = { status: 0, contentType: '', requestId: null, text: '' };
    problems = [
      `no answer: ${error instanceof Error ? `${error.message} ${error.cause instanceof Error ? error.cause.message : ''}` : String(error)}`,
    ];
  }
  // Not the credential itself, because reports are shared.
  const shown = { ...sent, headers: request.headers };
  const found = problems.map((what): FuzzProblem => ({
    what,
    operation: formatName(operation),
    credential,
    request: shown,
  }));
  return { answer, found };
}

async function send(request: {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
}) {
  const leave = new AbortController();
  const { url, ...init } = request;
  const response = await fetch(url, {
    ...init,
    redirect: 'manual',
    signal: AbortSignal.any([leave.signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  const contentType = response.headers.get('content-type') ?? '';
  const requestId = response.headers.get('x-request-id');
  if (contentType.startsWith('text/event-stream')) {
    leave.abort(); // a stream lasts as long as it has a reader
    return { status: response.status, contentType, requestId, text: '' };
  }
  return { status: response.status, contentType, requestId, text: await response.text() };
}

function buildPath({ operation, path }: FuzzRequest, ids: KnownIds): string {
  return operation.path.replaceAll(/([\w-]+)\/\{(\w+)\}/g, (_whole, collection: string, name: string) => {
    const given = path[name] ?? '';
    const text = typeof given === 'number' ? ids.choose(operation.service, collection, given) : given;
    return `${collection}/${encodeURIComponent(makeWellFormed(text))}`;
  });
}

function buildQuery({ query }: FuzzRequest): string {
  if (query.length === 0) return '';
  return `?${new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString()}`;
}

/** A URL cannot hold half a surrogate pair. */
function makeWellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

interface KnownIds {
  choose(service: ServiceName, collection: string, number: number): string;
  /** Collects the ids of an answer under the collection of its path. */
  learn(operation: Operation, text: string): void;
}

function createIds(world: World): KnownIds {
  const known = new Map<string, string[]>();
  return {
    choose: (service, collection, number) => {
      const own = known.get(`${service} ${collection}`) ?? [];
      const all = [...own, ...world.ids.flatMap((ids) => ids[service][collection] ?? [])];
      return all.length === 0 ? 'unknown' : all[number % all.length]!;
    },
    learn: ({ service, path }, text) => {
      const collection =
        path
          .replace(/\/\{\w+\}$/, '')
          .split('/')
          .at(-1) ?? '';
      const key = `${service} ${collection}`;
      const found = [...text.matchAll(/"(?:\w+_)?id":"([^"\\]{1,128})"/g)].map(([, id]) => id!);
      const fresh = found.filter((id) => !world.inUse.has(id));
      known.set(key, [...new Set([...(known.get(key) ?? []), ...fresh])].slice(-IDS_MAX));
    },
  };
}
