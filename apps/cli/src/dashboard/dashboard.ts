// The Express app of the queue dashboard: Bull Board for one service, behind operator credentials.
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import express, { type Express, type RequestHandler, type Response, type Router } from 'express';
import helmet from 'helmet';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { listQueues, type Engine, type Service } from '@parley/jobs';
import type { Log } from '@parley/server/runtime';
import {
  findRefusal,
  authenticateOperator,
  ROLES,
  type Passwords,
  type Refusal,
  type Role,
} from './operator-access.ts';

export interface DashboardOptions {
  readonly service: Service;
  readonly engine: Engine;
  /** Called for every request, so that a password can change at run time. */
  readonly passwords: () => Promise<Passwords>;
  /** Holds `dist/` of @bull-board/ui. */
  readonly uiFolder: string;
  readonly log: Log;
}

/** Per address. Above it the address gets 429. */
const WRONG_PASSWORDS_PER_MINUTE_MAX = 20;

const REFUSAL_MESSAGES: Readonly<Record<Refusal, string>> = {
  read_only: 'the role "viewer" cannot change anything; log in as "operator"',
  not_offered: 'only the service creates jobs, from its rows; here you can retry, promote or remove them',
  other_site: 'the request comes from a page of another site',
};

export function createDashboard({ service, engine, passwords, uiFolder, log }: DashboardOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.get('/health', (_request, response) => void response.json({ status: 'ok', service }));
  // Bull Board's page asks for Google Fonts; the policy blocks them.
  app.use(
    helmet({
      contentSecurityPolicy: {
        directives: {
          defaultSrc: ["'self'"],
          styleSrc: ["'self'", "'unsafe-inline'"],
          imgSrc: ["'self'", 'data:'],
          fontSrc: ["'self'"],
          frameAncestors: ["'none'"],
          upgradeInsecureRequests: null, // an operator may forward the port and use plain HTTP on loopback
        },
      },
    }),
  );
  app.use((_request, response, next) => {
    response.set('cache-control', 'no-store');
    next();
  });

  const wrongPasswords = new RateLimiterMemory({ points: WRONG_PASSWORDS_PER_MINUTE_MAX, duration: 60 });
  const guard: RequestHandler = async (request, response, next) => {
    const address = request.socket.remoteAddress ?? '';
    const spent = await wrongPasswords.get(address);
    if (spent !== null && spent.remainingPoints <= 0) {
      response.set('retry-after', String(Math.ceil(spent.msBeforeNext / 1000)));
      return refuse(response, 429, 'too many wrong passwords; try again after Retry-After seconds');
    }
    const role = authenticateOperator(request.headers.authorization, await passwords());
    if (role === undefined) {
      if (request.headers.authorization !== undefined) {
        await wrongPasswords.consume(address).catch(() => undefined); // over the limit: the next request gets 429
        log.warn({ address }, 'dashboard.refused');
      }
      response.set('www-authenticate', 'Basic realm="Parley queues", charset="UTF-8"');
      return refuse(response, 401, 'operator credentials are required');
    }
    const refusal = findRefusal(role, request);
    if (refusal) return refuse(response, 403, REFUSAL_MESSAGES[refusal]);
    if (request.method === 'PUT') log.info({ role, path: request.path, address }, 'dashboard.changed');
    response.locals['role'] = role;
    next();
  };
  app.use(guard);

  let boards: Readonly<Record<Role, Router>> | undefined;
  app.use(async (request, response, next) => {
    boards ??= await makeBoards({ service, engine, uiFolder });
    if (!boards) return refuse(response, 503, 'the queue engine does not answer; try again');
    boards[response.locals['role'] as Role](request, response, next);
  });
  return app;
}

function refuse(response: Response, status: number, why: string): void {
  response.status(status).type('text/plain').send(`${why}\n`);
}

/** One board per role; undefined while the queue engine is unavailable. */
async function makeBoards({
  service,
  engine,
  uiFolder,
}: Pick<DashboardOptions, 'service' | 'engine' | 'uiFolder'>): Promise<Record<Role, Router> | undefined> {
  const queues: NonNullable<Awaited<ReturnType<Engine['queue']>>>[] = [];
  for (const name of listQueues(service)) {
    const queue = await engine.queue(name);
    if (!queue) return undefined;
    queues.push(queue);
  }
  const boards = ROLES.map((role) => {
    const serverAdapter = new ExpressAdapter();
    serverAdapter.setBasePath('/');
    const adapters = queues.map((queue) => {
      const adapter = new BullMQAdapter(queue as never, { readOnlyMode: role === 'viewer' });
      adapter.setFormatter('data', (data: unknown) => maskData(role, data));
      return adapter;
    });
    createBullBoard({
      queues: adapters,
      serverAdapter,
      options: {
        uiBasePath: uiFolder,
        uiConfig: { boardTitle: `Parley ${service}`, hideRedisDetails: true },
      },
    });
    return [role, serverAdapter.getRouter() as Router];
  });
  return Object.fromEntries(boards) as Record<Role, Router>;
}

/**
 * Hides payloads from viewers, because an open payload holds customers' data. A sealed payload
 * stays ciphertext for everybody: this process has no key.
 */
export function maskData(role: Role, data: unknown): unknown {
  if (role === 'operator' || data === null || typeof data !== 'object') return data;
  return 'payload' in data ? { ...data, payload: '[hidden from viewers]' } : data;
}
