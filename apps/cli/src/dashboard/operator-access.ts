// Who may look at the queues, and who may touch them. HTTP Basic, because a browser needs nothing else for it. The decisions
// are pure; dashboard.ts asks them for every request.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** `operator` may retry, promote, remove and pause; `viewer` only looks, and sees no payload. */
export const ROLES = ['operator', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** Passwords that are configured, by role. The role's name is the user name. */
export type Passwords = Readonly<Partial<Record<Role, string>>>;

/** Shorter ones can be guessed over the network. */
export const PASSWORD_LENGTH_MIN = 16;

/** The role that an Authorization header proves; undefined for none. Takes the same time for every wrong password. */
export function roleOf(authorization: string | undefined, passwords: Passwords): Role | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const user = text.slice(0, colon);
  const given = digest(text.slice(colon + 1));
  return ROLES.filter((role) => {
    const wanted = passwords[role];
    const equal = timingSafeEqual(given, digest(wanted ?? ''));
    return equal && wanted !== undefined && wanted.length >= PASSWORD_LENGTH_MIN && role === user;
  })[0];
}

/** Equal lengths, which the comparison needs. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** What an operator may change. Jobs are made by services from their rows, never by hand, so nothing here makes or edits one. */
const ALLOWED = [
  /^\/api\/queues\/(pause|resume)$/,
  /^\/api\/queues\/[^/]+\/(pause|resume|promote)$/,
  /^\/api\/queues\/[^/]+\/retry\/(failed|completed)$/,
  /^\/api\/queues\/[^/]+\/clean\/failed$/,
  /^\/api\/queues\/[^/]+\/[^/]+\/(retry|promote|clean)$/,
];

export type Refusal = 'read_only' | 'not_offered' | 'other_site';

/** Why a request of this role is refused, or undefined. */
export function refusalOf(
  role: Role,
  request: { readonly method: string; readonly path: string; readonly headers: IncomingHttpHeaders },
): Refusal | undefined {
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  if (role === 'viewer') return 'read_only';
  if (!isSameSite(request.headers)) return 'other_site';
  const path = request.path.replace(/\/$/, '');
  return request.method === 'PUT' && ALLOWED.some((allowed) => allowed.test(path))
    ? undefined
    : 'not_offered';
}

/**
 * A browser sends Basic credentials along with requests that other sites make. It also says whose page asked; a program that
 * is no browser says nothing, and has no credentials by accident.
 */
function isSameSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (headers.origin === undefined) return true;
  return URL.canParse(headers.origin) && new URL(headers.origin).host === headers.host;
}
