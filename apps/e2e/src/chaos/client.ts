// Asks the services as a client behind a load balancer would: any replica, again until an answer says yes or no.
import type { ServiceName } from '@parley/dev/stack';
import type { Book } from './book.ts';
import type { Cluster } from './cluster.ts';

export interface Request {
  readonly service: ServiceName;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** Makes a repetition safe; a request without one must be safe by itself. */
  readonly idempotencyKey?: string;
  /** The demo organisation's admin key unless given. */
  readonly key?: string;
  /** One of the replicas, by its origin, in place of any. */
  readonly origin?: string;
  /** A refusal that is wanted: no failed request. */
  readonly wants?: number;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

export interface Client {
  /** One attempt; null: no answer. */
  ask(request: Request): Promise<Reply | null>;
  /** Until it is answered 2xx. Null when that did not happen in time: it may have happened or not. A refusal is a problem of the run. */
  persist(request: Request, accepts?: readonly number[]): Promise<Reply | null>;
  /** Ends every persist() that still tries. */
  giveUp(): void;
}

const ATTEMPT_TIMEOUT_MS = 10_000;
const PERSIST_MS = 90_000;
const PAUSE_MS = 250;
/** Come back later: everything else below 500 is a refusal. 409 is one too, unless the same request is still under way. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429]);

export function createClient(cluster: Cluster, book: Book): Client {
  let turn = 0;
  let givenUp = false;

  async function ask(request: Request): Promise<Reply | null> {
    const { service, method, path, body, idempotencyKey } = request;
    const origins = cluster.origins(service);
    const origin = request.origin ?? origins[(turn += 1) % origins.length]!;
    const key = request.key ?? cluster.stack.services[service].apiKey;
    book.requested();
    try {
      const answer = await fetch(`${origin}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
      });
      const text = await answer.text();
      if (answer.status >= 400 && answer.status !== request.wants) book.failed(`${service} ${answer.status}`);
      return { status: answer.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
    } catch (error) {
      book.failed(`${service} ${reasonOf(error)}`);
      return null;
    }
  }

  return {
    ask,
    giveUp: () => void (givenUp = true),
    persist: async (request, accepts = []) => {
      const deadline = performance.now() + PERSIST_MS;
      while (!givenUp && performance.now() < deadline) {
        const reply = await ask(request);
        if (reply && (reply.status < 300 || accepts.includes(reply.status))) return reply;
        if (reply && reply.status < 500 && !LATER.has(reply.status) && !isInProgress(reply)) {
          const { service, method, path } = request;
          book.problem(`${service} ${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
          return null;
        }
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
      return null;
    },
  };
}

const isInProgress = ({ status, body }: Reply): boolean =>
  status === 409 && JSON.stringify(body).toLowerCase().includes('still running');

function reasonOf(error: unknown): string {
  const { name, cause } = error as { name: string; cause?: { code?: string } };
  if (name === 'TimeoutError') return 'no answer in time';
  return cause?.code === 'ECONNREFUSED' ? 'not listening' : 'broken off';
}
