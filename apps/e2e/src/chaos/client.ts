// A client as behind a load balancer: asks any replica, and repeats until there is an answer.
import type { ServiceName } from '@parley/dev/stack';
import type { Ledger } from './ledger.ts';
import type { Cluster } from './cluster.ts';

export interface Request {
  readonly service: ServiceName;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** Makes repetitions safe; a request without one must be idempotent. */
  readonly idempotencyKey?: string;
  /** The demo organisation's admin key unless given. */
  readonly key?: string;
  /** The origin of one replica, instead of any. */
  readonly origin?: string;
  /** An expected refusal; not counted as a failed request. */
  readonly wants?: number;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

export interface Client {
  /** One attempt; null for no answer. */
  ask(request: Request): Promise<Reply | null>;
  /**
   * Repeats until a 2xx. null on time-out: it may have happened or not. A refusal is a problem of
   * the run.
   */
  persist(request: Request, accepts?: readonly number[]): Promise<Reply | null>;
  /** Ends all repetitions. */
  giveUp(): void;
}

const ATTEMPT_TIMEOUT_MS = 10_000;
const PERSIST_MS = 90_000;
const PAUSE_MS = 250;
/**
 * Statuses to repeat. Other 4xx are refusals; so is 409, unless the same request is still in
 * flight.
 */
const RETRIED_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

export function createClient(cluster: Cluster, ledger: Ledger): Client {
  let turn = 0;
  let givenUp = false;

  async function ask(request: Request): Promise<Reply | null> {
    const { service, method, path, body, idempotencyKey } = request;
    const origins = cluster.origins(service);
    const origin = request.origin ?? origins[(turn += 1) % origins.length]!;
    const key = request.key ?? cluster.stack.services[service].apiKey;
    ledger.requested();
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
      if (answer.status >= 400 && answer.status !== request.wants)
        ledger.failed(`${service} ${answer.status}`);
      return { status: answer.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
    } catch (error) {
      ledger.failed(`${service} ${describeError(error)}`);
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
        if (reply && reply.status < 500 && !RETRIED_STATUSES.has(reply.status) && !isInProgress(reply)) {
          const { service, method, path } = request;
          ledger.problem(`${service} ${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
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

function describeError(error: unknown): string {
  const { name, cause } = error as { name: string; cause?: { code?: string } };
  if (name === 'TimeoutError') return 'no answer in time';
  return cause?.code === 'ECONNREFUSED' ? 'not listening' : 'broken off';
}
