// The queues of one service for operators: Bull Board behind operator credentials. Never listens by itself.
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import express, { type Express, type RequestHandler, type Response, type Router } from 'express';
import helmet from 'helmet';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { listQueues, type Engine, type Service } from '@parley/queues';
import type { Log } from '@parley/runtime';
import { refusalOf, roleOf, ROLES, type Passwords, type Refusal, type Role } from './operator-access.ts';

export interface DashboardOptions {
  readonly service: Service;
  readonly engine: Engine;
  /** Asked for every request: a password may be changed while we run. */
  readonly passwords: () => Promise<Passwords>;
  /** Holds `dist/` of @bull-board/ui. */
  readonly uiFolder: string;
  readonly log: Log;
}

/** Wrong passwords of one address in a minute; then it waits. */
const REFUSED_PER_MINUTE_MAX = 20;

const WORDS: Readonly<Record<Refusal, string>> = {
  read_only: 'the role "viewer" only looks; log in as "operator"',
  not_offered:
    'jobs are made from rows by their service: they are retried, promoted or removed here, not written',
  other_site: 'the request comes from the page of another site',
};

export function createDashboard({ service, engine, passwords, uiFolder, log }: DashboardOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.get('/health', (_request, response) => void response.json({ status: 'ok', service }));
  // The page is Bull Board's own: scripts from here only, and its fonts from elsewhere stay away.
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

  const refused = new RateLimiterMemory({ points: REFUSED_PER_MINUTE_MAX, duration: 60 });
  const guard: RequestHandler = async (request, response, next) => {
    const address = request.socket.remoteAddress ?? '';
    const spent = await refused.get(address);
    if (spent !== null && spent.remainingPoints <= 0) {
      response.set('retry-after', String(Math.ceil(spent.msBeforeNext / 1000)));
      return refuse(response, 429, 'too many wrong passwords; wait');
    }
    const role = roleOf(request.headers.authorization, await passwords());
    if (role === undefined) {
      if (request.headers.authorization !== undefined) {
        await refused.consume(address).catch(() => undefined); // it is the one that is turned away from now on
        log.warn({ address }, 'dashboard.refused');
      }
      response.set('www-authenticate', 'Basic realm="Parley queues", charset="UTF-8"');
      return refuse(response, 401, 'operator credentials are needed');
    }
    const refusal = refusalOf(role, request);
    if (refusal) return refuse(response, 403, WORDS[refusal]);
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

/** One board a role; undefined while the engine is away. */
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
      adapter.setFormatter('data', (data: unknown) => shownData(role, data));
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
 * What is shown of a job's data. A sealed payload is ciphertext and stays it: this process has no key. An open payload is what
 * a customer's users said, and a viewer gets the ids around it only.
 */
export function shownData(role: Role, data: unknown): unknown {
  if (role === 'operator' || data === null || typeof data !== 'object') return data;
  return 'payload' in data ? { ...data, payload: '[hidden from viewers]' } : data;
}
