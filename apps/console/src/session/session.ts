// Sessions on the server, with their id in a signed cookie (docs/console.md#sessions).
import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import session from 'express-session';
import { z } from 'zod';
import { serviceKeys, type ListedSession, type Tickets } from '@parley/server/console-access';
import type { Clock, Keyring, Log, ServiceName } from '@parley/server/runtime';
import { identityTokens, type Identity, type IdentityTokens } from './identity.ts';
import type { LoggedOut } from './logout-token.ts';
import { createRenewal, type StoredTokens } from './renewal.ts';
import type { SessionPlace } from './session-store.ts';

/** A working day. Keys that expire earlier are rejected by the services. */
const SESSION_SECONDS = 12 * 3600;

const content = z.discriminatedUnion('with', [
  z.object({ with: z.literal('keys'), keys: serviceKeys }),
  identityTokens.extend({
    with: z.literal('identity'),
    /** The one to work for; null while a person of several has chosen none. */
    organization: z.string().nullable(),
  }),
]);
type Content = z.output<typeof content>;
type IdentityContent = Extract<Content, { with: 'identity' }>;
export type Session = Content & { readonly endsAtMs: number };

declare module 'express-session' {
  interface SessionData {
    /** The credentials, sealed under CONSOLE_KEY, so that Redis never holds them in plain text. */
    sealed: string;
    shown: Omit<ListedSession, 'id'>;
    /** By which the identity provider ends it. */
    atProvider?: Pick<IdentityTokens, 'subject' | 'providerSession'>;
  }
}

export interface Sessions {
  /** Loads the session of a request. Runs before every route that reads it. */
  readonly handler: RequestHandler;
  /** Renews identity tokens that are about to end. Null when they have ended. */
  read(request: Request): Promise<Session | null>;
  /** Replaces any earlier session. */
  begin(request: Request, content: Content): Promise<void>;
  /** False when the identity token does not list this organisation. */
  chooseOrganization(request: Request, organization: string): Promise<boolean>;
  end(request: Request, response: Response): Promise<void>;
  list(): Promise<readonly ListedSession[]>;
  /** Returns the ended sessions. */
  endThose(chosen: (session: ListedSession) => boolean): Promise<readonly ListedSession[]>;
  /** Ends what the identity provider has ended. */
  endLoggedOut(loggedOut: LoggedOut): Promise<readonly ListedSession[]>;
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
  readonly identity: Pick<Identity, 'renew'> | null;
  readonly log: Log;
}

export function createSessions(options: SessionsOptions): Sessions {
  const { place, tickets, keyring, clock, consoleUrl, identity, log } = options;
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
    const found: { id: string; listed: ListedSession; atProvider: session.SessionData['atProvider'] }[] = [];
    for (const id of await place.ids(clock()).catch(unavailable)) {
      const { shown, atProvider } = (await find(id)) ?? {};
      if (shown) found.push({ id, atProvider, listed: { id: publicId(id), ...shown } });
    }
    return found;
  };
  const endAll = async (those: Awaited<ReturnType<typeof all>>) => {
    for (const { id } of those) {
      await settled((done) => store.destroy(id, done));
      ended(id);
    }
    return those.map(({ listed }) => listed);
  };
  const open = async (data: Partial<session.SessionData> | null | undefined) =>
    data?.sealed === undefined ? null : tickets.open('session', content, data.sealed);
  /** Seals what a request's session is from now on; `begunAtMs` decides how long it may last. */
  const keep = async ({ session }: Request, next: Content, begunAtMs: number) => {
    const endsAtMs = endOf(next, begunAtMs);
    session.sealed = await tickets.seal(
      'session',
      next,
      Math.max(1, Math.floor((endsAtMs - clock()) / 1000)),
    );
    session.shown = toShown(next, begunAtMs, endsAtMs);
    session.cookie.maxAge = endsAtMs - clock();
    if (next.with === 'identity')
      session.atProvider = { subject: next.subject, providerSession: next.providerSession };
    return endsAtMs;
  };
  /** Stores a change of a session that goes on. */
  const change = async (request: Request, next: Content) => {
    await keep(request, next, Date.parse(request.session.shown!.begun_at));
    await settled((done) => request.session.save(done));
  };
  const renew = identity === null ? null : createRenewal({ identity, place, clock, log });
  const read = async (request: Request): Promise<Session | null> => {
    const opened = await open(request.session);
    if (opened === null) return null;
    if (opened.with === 'keys') return { ...opened, endsAtMs: endOf(opened, begunAt(request)) };
    const stored: StoredTokens<IdentityContent> = {
      id: request.sessionID,
      read: async () => {
        const newest = await open(await find(request.sessionID));
        return newest?.with === 'identity' ? newest : null;
      },
      save: (tokens) => change(request, tokens),
    };
    const current = renew ? await renew(opened, stored) : opened;
    return current && { ...current, endsAtMs: endOf(current, begunAt(request)) };
  };
  return {
    handler: (request, response, next) => {
      // TLS ends at a proxy, so PUBLIC_URL decides.
      if (attributes.secure) Object.defineProperty(request, 'secure', { value: true });
      load(request, response, (error?: unknown) => next(error === undefined ? undefined : wrapped(error)));
    },
    read,
    begin: async (request, begun) => {
      try {
        await settled((done) => request.session.regenerate(done)); // prevents session fixation
        const endsAtMs = await keep(request, begun, clock());
        await place.add(request.sessionID, endsAtMs).catch(unavailable);
        await settled((done) => request.session.save(done));
      } catch (error) {
        Reflect.deleteProperty(request, 'session'); // no cookie without a stored session
        throw error;
      }
    },
    chooseOrganization: async (request, organization) => {
      const current = await read(request);
      if (current?.with !== 'identity' || !current.organizations.includes(organization)) return false;
      await change(request, { ...current, organization });
      return true;
    },
    end: async (request, response) => {
      const id = request.sessionID;
      await settled((done) => request.session.destroy(done));
      ended(id);
      response.clearCookie(name, attributes);
    },
    list: async () => (await all()).map(({ listed }) => listed),
    endThose: async (chosen) => endAll((await all()).filter(({ listed }) => chosen(listed))),
    endLoggedOut: async (loggedOut) =>
      endAll(
        (await all()).filter(({ atProvider }) =>
          'subject' in loggedOut
            ? atProvider?.subject === loggedOut.subject
            : atProvider?.providerSession === loggedOut.providerSession,
        ),
      ),
    onEnd: (listener) => void listeners.push(listener),
    close: () => place.close(),
  };
}

/** Without a refresh token a session lasts as long as the identity token. */
function endOf(session: Content, begunAtMs: number): number {
  const longestMs = begunAtMs + SESSION_SECONDS * 1000;
  const isBound = session.with === 'identity' && session.refresh === null;
  return isBound ? Math.min(longestMs, session.tokenEndsAtMs) : longestMs;
}

const begunAt = ({ session }: Request): number => Date.parse(session.shown?.begun_at ?? '');

function toShown(begun: Content, begunAtMs: number, endsAtMs: number): session.SessionData['shown'] {
  return {
    with: begun.with,
    person: begun.with === 'identity' ? begun.person : null,
    services: begun.with === 'keys' ? Object.keys(begun.keys) : [],
    begun_at: new Date(begunAtMs).toISOString(),
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

/** Headers that authorise a request to a service; null without a credential. */
export function credentialHeaders(
  session: Session | null,
  service: ServiceName,
): Readonly<Record<string, string>> | null {
  if (session?.with !== 'identity') {
    const key = session?.keys[service];
    return key === undefined ? null : { authorization: `Bearer ${key}` };
  }
  const authorization = `Bearer ${session.token}`;
  if (session.organizations.length < 2) return { authorization };
  return session.organization === null ? null : { authorization, 'x-organization-id': session.organization };
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
