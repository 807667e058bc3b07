// Access rules of the queue dashboard, as pure functions. HTTP Basic, because every browser has it.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** `operator` may retry, promote, remove and pause; `viewer` only reads, and sees no payload. */
export const ROLES = ['operator', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** Configured passwords by role. The role's name is the user name. */
export type Passwords = Readonly<Partial<Record<Role, string>>>;

/** Shorter passwords can be guessed over the network. */
export const PASSWORD_LENGTH_MIN = 16;

/** The role that an Authorization header proves. Takes the same time for every wrong password. */
export function authenticateOperator(
  authorization: string | undefined,
  passwords: Passwords,
): Role | undefined {
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

/** `timingSafeEqual` needs equal lengths. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Requests that an operator may make. None creates or edits a job: services create jobs from rows.
 */
const ALLOWED = [
  /^\/api\/queues\/(pause|resume)$/,
  /^\/api\/queues\/[^/]+\/(pause|resume|promote)$/,
  /^\/api\/queues\/[^/]+\/retry\/(failed|completed)$/,
  /^\/api\/queues\/[^/]+\/clean\/failed$/,
  /^\/api\/queues\/[^/]+\/[^/]+\/(retry|promote|clean)$/,
];

export type Refusal = 'read_only' | 'not_offered' | 'other_site';

/** Why this role may not make the request; undefined when it may. */
export function findRefusal(
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
 * A browser attaches Basic credentials to requests of other sites too, and names the site. Programs
 * without these headers do not attach credentials by themselves.
 */
function isSameSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (headers.origin === undefined) return true;
  return URL.canParse(headers.origin) && new URL(headers.origin).host === headers.host;
}
