// Sessions on the server, with their id in a signed cookie (docs/console.md#sessions).
import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import session from 'express-session';
import { z } from 'zod';
import { serviceKeys, type ListedSession, type Tickets } from '@parley/server/console-access';
import type { Clock, Keyring, ServiceName } from '@parley/server/runtime';
import type { SessionPlace } from './session-store.ts';

/** A working day. Keys that expire earlier are rejected by the services. */
const SESSION_SECONDS = 12 * 3600;

const content = z.discriminatedUnion('with', [
  z.object({ with: z.literal('keys'), keys: serviceKeys }),
  z.object({ with: z.literal('identity'), token: z.string(), person: z.string().nullable() }),
]);
type Content = z.output<typeof content>;
export type Session = Content & { readonly endsAtMs: number };

declare module 'express-session' {
  interface SessionData {
    /** The credentials, sealed under CONSOLE_KEY, so that Redis never holds them in plain text. */
    sealed: string;
    shown: Omit<ListedSession, 'id'>;
  }
}

export interface Sessions {
  /** Loads the session of a request. Runs before every route that reads it. */
  readonly handler: RequestHandler;
  read(request: Request): Promise<Session | null>;
  /** Replaces any earlier session. `endsAtMs`: expiry of the credential. */
  begin(request: Request, content: Content, endsAtMs?: number): Promise<void>;
  end(request: Request, response: Response): Promise<void>;
  list(): Promise<readonly ListedSession[]>;
  /** Returns the ended sessions. */
  endThose(chosen: (session: ListedSession) => boolean): Promise<readonly ListedSession[]>;
  /** Called with the `sessionID` of a session that ends early. */
  onEnd(listener: (id: string) => void): void;
  close(): Promise<void>;
}

/** The session store is unavailable: 503. Nobody counts as signed out. */
export class SessionsUnavailable extends Error {
  override readonly name = 'SessionsUnavailable';
}

export interface SessionsOptions {
  readonly place: SessionPlace;
  readonly tickets: Tickets;
  readonly keyring: Keyring;
  readonly clock: Clock;
  /** Decides the names of cookies, because all ports of a host share cookies. */
  readonly consoleUrl: string;
}

export function createSessions({ place, tickets, keyring, clock, consoleUrl }: SessionsOptions): Sessions {
  const { name, attributes } = cookieOf('session', consoleUrl, 'strict');
  const { store } = place;
  const listeners: ((id: string) => void)[] = [];
  const load = session({
    name,
    store,
    cookie: attributes,
    resave: false,
    saveUninitialized: false,
    secret: [...keyring.values()].map((key) => createHmac('sha256', key).update('cookie').digest('base64')),
  });
  const find = (id: string) => settled<session.SessionData | null | undefined>((done) => store.get(id, done));
  const ended = (id: string) => listeners.forEach((listener) => listener(id));
  /** Active sessions: the secret id, and what operators see. */
  const all = async () => {
    const found: { id: string; listed: ListedSession }[] = [];
    for (const id of await place.ids(clock()).catch(unavailable)) {
      const shown = (await find(id))?.shown;
      if (shown) found.push({ id, listed: { id: publicId(id), ...shown } });
    }
    return found;
  };
  return {
    handler: (request, response, next) => {
      // TLS ends at a proxy, so PUBLIC_URL decides.
      if (attributes.secure) Object.defineProperty(request, 'secure', { value: true });
      load(request, response, (error?: unknown) => next(error === undefined ? undefined : wrapped(error)));
    },
    read: async (request) => {
      const { sealed, shown } = request.session;
      const opened = sealed === undefined ? null : await tickets.open('session', content, sealed);
      return opened && shown ? { ...opened, endsAtMs: Date.parse(shown.ends_at) } : null;
    },
    begin: async (request, begun, credentialEndsAtMs = Number.POSITIVE_INFINITY) => {
      const nowMs = clock();
      const endsAtMs = Math.min(nowMs + SESSION_SECONDS * 1000, credentialEndsAtMs);
      const sealed = await tickets.seal('session', begun, Math.floor((endsAtMs - nowMs) / 1000));
      try {
        await settled((done) => request.session.regenerate(done)); // prevents session fixation
        request.session.sealed = sealed;
        request.session.shown = toShown(begun, nowMs, endsAtMs);
        request.session.cookie.maxAge = endsAtMs - nowMs;
        await place.add(request.sessionID, endsAtMs).catch(unavailable);
        await settled((done) => request.session.save(done));
      } catch (error) {
        Reflect.deleteProperty(request, 'session'); // no cookie without a stored session
        throw error;
      }
    },
    end: async (request, response) => {
      const id = request.sessionID;
      await settled((done) => request.session.destroy(done));
      ended(id);
      response.clearCookie(name, attributes);
    },
    list: async () => (await all()).map(({ listed }) => listed),
    endThose: async (chosen) => {
      const those = (await all()).filter(({ listed }) => chosen(listed));
      for (const { id } of those) {
        await settled((done) => store.destroy(id, done));
        ended(id);
      }
      return those.map(({ listed }) => listed);
    },
    onEnd: (listener) => void listeners.push(listener),
    close: () => place.close(),
  };
}

function toShown(begun: Content, nowMs: number, endsAtMs: number): session.SessionData['shown'] {
  return {
    with: begun.with,
    person: begun.with === 'identity' ? begun.person : null,
    services: begun.with === 'keys' ? Object.keys(begun.keys) : [],
    begun_at: new Date(nowMs).toISOString(),
    ends_at: new Date(endsAtMs).toISOString(),
  };
}

/** A public id, because the session id itself is a credential. */
const publicId = (id: string) => createHash('sha256').update(id).digest('hex').slice(0, 16);

function settled<Result = void>(
  work: (done: (error?: unknown, result?: Result) => void) => void,
): Promise<Result | undefined> {
  return new Promise<Result | undefined>((resolve, reject) =>
    work((error, result) => (error ? reject(wrapped(error)) : resolve(result))),
  );
}

const wrapped = (cause: unknown) => new SessionsUnavailable('sessions cannot be reached', { cause });

function unavailable(cause: unknown): never {
  throw wrapped(cause);
}

/** The Authorization header for a service; undefined without a credential. */
export function authorizationFor(session: Session | null, service: ServiceName): string | undefined {
  const credential = session?.with === 'identity' ? session.token : session?.keys[service];
  return credential === undefined ? undefined : `Bearer ${credential}`;
}

/**
 * `__Host-` restricts the cookie to this host over TLS. Plain http is for local use, where the port
 * is part of the name.
 */
export function cookieOf(what: string, consoleUrl: string, sameSite: 'strict' | 'lax') {
  const { protocol, port } = new URL(consoleUrl);
  const secure = protocol === 'https:';
  return {
    name: secure ? `__Host-parley-${what}` : `parley-${what}-${port || '80'}`,
    attributes: { httpOnly: true, sameSite, secure, path: '/' } as const,
  };
}

export function readCookie(request: IncomingMessage, name: string): string | undefined {
  const found = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}
