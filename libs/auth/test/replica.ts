// One replica of a service as far as keys are concerned: its own listener and cache.
import type { Request } from 'express';
import { createAuthenticator, type AuthenticatorOptions, type Product } from '../src/index.ts';
import type { Authenticator, Caller, Face } from '@parley/server/http';
import { createListener, sqlOf, type Listener, type Sql } from '@parley/server/postgres';
import { createLog, type Log } from '@parley/server/runtime';
import type { CapturedLog } from '@parley/testing';
import type pg from 'pg';

export interface Replica {
  /** Authenticates a request with this `Authorization` header. */
  authenticate(authorization: string | undefined, from?: { face?: Face; ip?: string }): Promise<Caller>;
  readonly authenticator: Authenticator;
  /** Every statement sent to the database, oldest first. */
  readonly statements: string[];
  readonly log: Log;
  readonly listener: Listener;
  /** Writes the pending `last_used_at`, as a stopping process does. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export function replica(
  database: { url: string; pool: pg.Pool; captured: CapturedLog },
  options: Partial<AuthenticatorOptions> & { product?: Product } = {},
): Replica {
  const log = createLog({ service: 'test', level: 'info', destination: database.captured });
  const clock = options.clock ?? Date.now;
  const listener = createListener({ url: database.url, applicationName: 'replica', clock, log });
  const statements: string[] = [];
  const onPool = sqlOf(database.pool);
  const sql: Sql = (text, values) => {
    statements.push(text);
    return onPool(text, values);
  };
  const authenticator = createAuthenticator({
    product: 'fb',
    sql,
    listener,
    clock,
    log,
    verifyIdentityToken: null,
    ...options,
  });
  return {
    authenticate: async (authorization, { face = 'v1', ip = '192.0.2.1' } = {}) => {
      const request = { headers: { authorization }, ip } as Request;
      return authenticator.peek(request, face) ?? authenticator.authenticate(request, face);
    },
    authenticator,
    statements,
    log,
    listener,
    flush: () => authenticator.close(),
    close: async () => {
      await authenticator.close();
      await listener.close();
    },
  };
}
