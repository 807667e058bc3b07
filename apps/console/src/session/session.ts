// Who is signed in: an encrypted cookie, and nothing on our side (docs/console.md#signing-in).
import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { z } from 'zod';
import { serviceKeys, type Tickets } from '@parley/console-access';
import type { Clock, ServiceName } from '@parley/runtime';

/** A working day. Keys that live shorter than that end the session by themselves: the services refuse them. */
const SESSION_SECONDS = 12 * 3600;

/** Browsers keep at least so much of a cookie (RFC 6265 §6.1); name and attributes are counted in. */
const COOKIE_BYTES_MAX = 4096;
const ATTRIBUTE_BYTES = 128;

const ends = { ends_at_ms: z.number() };
const content = z.discriminatedUnion('with', [
  z.object({ with: z.literal('keys'), keys: serviceKeys, ...ends }),
  z.object({ with: z.literal('identity'), token: z.string(), person: z.string().nullable(), ...ends }),
]);
export type Session = z.output<typeof content>;
type NewSession =
  z.input<typeof content> extends infer Any
    ? Any extends { ends_at_ms: number }
      ? Omit<Any, 'ends_at_ms'>
      : never
    : never;

export interface Sessions {
  read(request: IncomingMessage): Promise<Session | null>;
  /** False: it does not fit into a cookie. `endsAtMs`: when the credential ends by itself. */
  begin(response: Response, session: NewSession, endsAtMs?: number): Promise<boolean>;
  end(response: Response): void;
}

/** Where the console answers says what its cookies are called: those of a host are shared by all of its ports. */
export function createSessions(tickets: Tickets, clock: Clock, consoleUrl: string): Sessions {
  const { name, attributes } = cookieOf('session', consoleUrl, 'strict');
  return {
    read: async (request) => {
      const sealed = readCookie(request, name);
      return sealed === undefined ? null : tickets.open('session', content, sealed);
    },
    begin: async (response, session, endsAtMs = Number.POSITIVE_INFINITY) => {
      const endsAt = Math.min(clock() + SESSION_SECONDS * 1000, endsAtMs);
      const seconds = Math.floor((endsAt - clock()) / 1000);
      const sealed = await tickets.seal('session', { ...session, ends_at_ms: endsAt }, seconds);
      if (name.length + sealed.length + ATTRIBUTE_BYTES > COOKIE_BYTES_MAX) return false;
      response.cookie(name, sealed, { ...attributes, maxAge: seconds * 1000 });
      return true;
    },
    end: (response) => void response.clearCookie(name, attributes),
  };
}

/** What is sent to a service for this person; undefined: nothing that opens it. */
export function authorizationFor(session: Session | null, service: ServiceName): string | undefined {
  const credential = session?.with === 'identity' ? session.token : session?.keys[service];
  return credential === undefined ? undefined : `Bearer ${credential}`;
}

/** `__Host-`: set by this very host over TLS, for all of it. Plain http is for a machine of one's own, where cookies have no port. */
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
