// Portal links: a JWT that is signed with the key of its application, and opens the webhooks of
// this application alone (docs/portal.md#links). Replacing the key revokes all links.
import { randomBytes } from 'node:crypto';
import { decodeJwt, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { AppError, voiceApiDialect } from '@parley/envelopes';
import { audit } from '@parley/server/audit';
import {
  hasScope,
  PORTAL_TOKEN,
  Reply,
  SCOPES,
  type Caller,
  type EndpointTransaction,
} from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import { applicationContext } from '@parley/server/sealed-columns';
import type { Deps } from './deps.ts';
import { buildPortalUrl } from './portal-page.ts';
import type { NewPortalLink } from './schemas.ts';

const ALGORITHM = 'HS256';
/** As of RFC 8725 §3.11: no other token of ours or of an identity provider is a portal link. */
const TYPE = 'portal+jwt';
const KEY_BYTES = 32;
/** What a link may do at most. */
const LINK_SCOPES = ['read', 'write', 'delete', 'pii'] as const;

const claims = z.object({
  org: z.string(),
  sub: z.string(),
  scope: z.array(z.enum(SCOPES)),
});

/** A key of an application, sealed. */
export function createPortalKey(
  { dataSealer }: Pick<Deps, 'dataSealer'>,
  row: { readonly organizationId: string; readonly id: string },
): Promise<string> {
  return dataSealer.seal(randomBytes(KEY_BYTES).toString('base64url'), applicationContext(row));
}

interface KeyRow {
  readonly id: string;
  readonly portalKey: string;
}

/** @returns null when there is no such application */
async function readKey(
  { dataSealer }: Pick<Deps, 'dataSealer'>,
  sql: Sql,
  organizationId: string,
  applicationId: string,
): Promise<Uint8Array | null> {
  const [row] = await sql<KeyRow>(
    `SELECT id, portal_key AS "portalKey" FROM applications WHERE organization_id = $1 AND application_id = $2`,
    [organizationId, applicationId],
  );
  if (!row) return null;
  const key = await dataSealer.unseal(row.portalKey, applicationContext({ organizationId, id: row.id }));
  return Buffer.from(key, 'base64url');
}

/** The link may do what its issuer may, except for `admin`. @throws AppError not_found */
export async function createPortalLink(
  deps: Pick<Deps, 'clock' | 'ids' | 'dataSealer' | 'config'>,
  caller: Caller,
  applicationId: string,
  { expires_in_seconds: lifetimeSeconds, read_only: isReadOnly, appearance }: NewPortalLink,
  { sql }: Pick<EndpointTransaction, 'sql'>,
): Promise<Reply> {
  const { organizationId } = caller;
  const key = await readKey(deps, sql, organizationId, applicationId);
  if (!key) throw new AppError('not_found', `There is no application "${applicationId}".`);
  const scopes = LINK_SCOPES.filter((scope) => hasScope(caller, scope)).filter(
    (scope) => !isReadOnly || scope === 'read' || scope === 'pii',
  );
  const issuedAt = Math.floor(deps.clock() / 1_000);
  const expiresAt = issuedAt + lifetimeSeconds;
  const jwt = await new SignJWT({ org: organizationId, scope: scopes })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
    .setSubject(applicationId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(key);
  const expires = voiceApiDialect.time(new Date(expiresAt * 1_000));
  await audit(sql, deps, caller, {
    action: 'portal_link.created',
    target: applicationId,
    details: { scopes, expires_at: expires },
  });
  const token = `${PORTAL_TOKEN}${jwt}`;
  const { PUBLIC_URL: publicUrl } = deps.config;
  const url = publicUrl === undefined ? null : buildPortalUrl(publicUrl, token, appearance);
  return new Reply({ token, url, scopes, expires_at: expires });
}

/** Gives the application a new key. Effective immediately. @throws AppError not_found */
export async function revokePortalLinks(
  deps: Pick<Deps, 'transact' | 'clock' | 'ids' | 'dataSealer'>,
  caller: Caller,
  applicationId: string,
) {
  const { organizationId } = caller;
  await deps.transact(async (sql) => {
    const [row] = await sql<Pick<KeyRow, 'id'>>(
      'SELECT id FROM applications WHERE organization_id = $1 AND application_id = $2 FOR UPDATE',
      [organizationId, applicationId],
    );
    if (!row) throw new AppError('not_found', `There is no application "${applicationId}".`);
    await sql('UPDATE applications SET portal_key = $3 WHERE organization_id = $1 AND id = $2', [
      organizationId,
      row.id,
      await createPortalKey(deps, { organizationId, id: row.id }),
    ]);
    await audit(sql, deps, caller, { action: 'portal_links.revoked', target: applicationId });
  });
  return { id: applicationId, revoked: true };
}

/** The caller of a link; null when it is invalid, expired or revoked. */
export async function verifyPortalToken(
  deps: Pick<Deps, 'sql' | 'clock' | 'dataSealer'>,
  token: string,
): Promise<Caller | null> {
  const jwt = token.slice(PORTAL_TOKEN.length);
  const named = readClaims(() => decodeJwt(jwt));
  if (!named) return null;
  const key = await readKey(deps, deps.sql, named.org, named.sub);
  if (!key) return null;
  const options = {
    algorithms: [ALGORITHM],
    typ: TYPE,
    requiredClaims: ['exp'],
    currentDate: new Date(deps.clock()),
  };
  const verified = await jwtVerify(jwt, key, options).catch(() => null);
  const known = verified && readClaims(() => verified.payload);
  if (!known) return null;
  return {
    organizationId: known.org,
    kind: 'portal',
    principal: known.sub,
    scopes: new Set(known.scope),
    applicationId: known.sub,
  };
}

function readClaims(read: () => unknown): z.output<typeof claims> | null {
  try {
    return claims.safeParse(read()).data ?? null;
  } catch {
    return null;
  }
}
