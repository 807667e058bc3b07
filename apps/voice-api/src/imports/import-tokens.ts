// Tokens in the addresses that vendors post reports to (docs/voice-api.md#import-tokens).
import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { audit } from '@parley/server/audit';
import { AppError, pageQuery, toPage, voiceApiDialect } from '@parley/envelopes';
import { Reply, type Caller, type EndpointTransaction } from '@parley/server/http';
import { isSecretReference, parseSecretName } from '@parley/outbound';
import type { Sql } from '@parley/server/postgres';
import { importTokenContext } from '@parley/server/sealed-columns';
import type { Deps } from './deps.ts';
import { readIdCursor } from '../lists.ts';
import { SOURCES, type Source } from './sources.ts';

const TOKEN = /^imp_[A-Za-z0-9_-]{43}$/;
/** 256 bits cannot be guessed, so a plain hash is stored. */
const TOKEN_BYTES = 32;
const DISPLAY_CHARACTERS = 10;
const SECRET_CHARACTERS_MAX = 512;

export const newImportToken = z
  .strictObject({
    name: z.string().min(1).max(100),
    source: z.enum(SOURCES),
    secret: z
      .string()
      .min(1)
      .max(SECRET_CHARACTERS_MAX)
      .refine((given) => !isSecretReference(given) || parseSecretName(given) !== null, {
        message: 'must have the name of a secret after secret://',
      })
      .optional()
      .describe(
        'What the vendor signs or sends with each report, or `secret://<name>`. Reports without it are then refused',
      ),
  })
  .meta({ id: 'NewImportToken' });

const members = {
  id: z.string(),
  name: z.string(),
  source: z.enum(SOURCES),
  display: z.string().describe('The beginning of the token, to identify it'),
  has_secret: z.boolean().describe('The vendor’s signature is checked'),
  created_at: voiceApiDialect.timeSchema,
  created_by: z.string(),
  last_used_at: voiceApiDialect.timeSchema.nullable().describe('Accurate to a minute'),
};
export const importToken = z.strictObject(members).meta({ id: 'ImportToken' });
export const issuedImportToken = z
  .strictObject({
    ...members,
    token: z.string().describe('Returned only in this answer'),
    path: z.string().describe('Path of the address to set at the vendor; contains the token'),
  })
  .meta({ id: 'IssuedImportToken' });
export const importTokenParams = z.strictObject({ import_token_id: z.string().min(1).max(64) });
export const importTokenQuery = z.strictObject(pageQuery());
export const revokedImportToken = z.strictObject({ id: z.string(), deleted: z.literal(true) });

interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly source: string;
  readonly display: string;
  readonly hasSecret: boolean;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly lastUsedAt: Date | null;
}

const COLUMNS = `id, name, source, display, secret IS NOT NULL AS "hasSecret", created_at AS "createdAt",
  created_by AS "createdBy", last_used_at AS "lastUsedAt"`;

/** Only this answer contains the token. @throws AppError limit_exceeded */
export async function createImportToken(
  deps: Pick<Deps, 'ids' | 'clock' | 'dataSealer' | 'limits'>,
  caller: Caller,
  { name, source, secret }: z.output<typeof newImportToken>,
  { sql }: Pick<EndpointTransaction, 'sql'>,
): Promise<Reply> {
  const { organizationId, principal } = caller;
  const id = deps.ids('imp');
  const token = `imp_${randomBytes(TOKEN_BYTES).toString('base64url')}`;
  const sealed = secret && (await deps.dataSealer.seal(secret, importTokenContext({ organizationId, id })));
  const display = `${token.slice(0, DISPLAY_CHARACTERS)}…`;
  const [row] = await sql<TokenRow>(
    `INSERT INTO import_tokens (id, organization_id, name, source, display, hash, secret, created_at, created_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING ${COLUMNS}`,
    [
      id,
      organizationId,
      name,
      source,
      display,
      computeHash(token),
      sealed ?? null,
      new Date(deps.clock()),
      principal,
    ],
  );
  await deps.limits.caps.added(sql, organizationId, 'import_tokens');
  const details = { name, source, has_secret: sealed !== undefined };
  await audit(sql, deps, caller, { action: 'import_token.created', target: id, details });
  const path = `/v1/conversations/import/${source}/${token}`;
  return new Reply({ ...toView(row!), token, path });
}

export async function listImportTokens(
  { sql }: Pick<Deps, 'sql'>,
  { organizationId }: Caller,
  { cursor, limit }: z.output<typeof importTokenQuery>,
) {
  const rows = await sql<TokenRow>(
    `SELECT ${COLUMNS} FROM import_tokens
     WHERE organization_id = $1 AND revoked_at IS NULL AND ($2::text IS NULL OR id < $2)
     ORDER BY id DESC LIMIT $3::int`,
    [organizationId, readIdCursor(cursor), limit + 1],
  );
  return voiceApiDialect.page(toPage(rows, limit, ({ id }) => [id], toView));
}

/** Effective immediately. @throws AppError not_found */
export async function revokeImportToken(
  deps: Pick<Deps, 'transact' | 'clock' | 'ids'>,
  caller: Caller,
  id: string,
) {
  await deps.transact(async (sql) => {
    const [revoked] = await sql(
      `UPDATE import_tokens SET revoked_at = $3, secret = NULL
       WHERE organization_id = $1 AND id = $2 AND revoked_at IS NULL RETURNING id`,
      [caller.organizationId, id, new Date(deps.clock())],
    );
    if (!revoked) throw new AppError('not_found', `There is no import token "${id}".`);
    await audit(sql, deps, caller, { action: 'import_token.revoked', target: id });
  });
  return { id, deleted: true };
}

/** Whether the stored answer of a creation may be repeated. */
export async function isTokenInForce(sql: Sql, { organizationId }: Caller, { id }: { readonly id: string }) {
  const [row] = await sql(
    'SELECT 1 FROM import_tokens WHERE organization_id = $1 AND id = $2 AND revoked_at IS NULL',
    [organizationId, id],
  );
  return row !== undefined;
}

export interface FoundToken {
  readonly id: string;
  readonly organizationId: string;
  /** Sealed. */
  readonly secret: string | null;
}

/** Null: there is no such token for this vendor. */
export async function findImportToken(
  { sql, clock }: Pick<Deps, 'sql' | 'clock'>,
  source: Source,
  token: string,
): Promise<FoundToken | null> {
  if (!TOKEN.test(token)) return null;
  const [found] = await sql<FoundToken & { readonly lastUsedAt: Date | null }>(
    `SELECT id, organization_id AS "organizationId", secret, last_used_at AS "lastUsedAt" FROM import_tokens
     WHERE hash = $1 AND source = $2 AND revoked_at IS NULL`,
    [computeHash(token), source],
  );
  if (found && clock() - (found.lastUsedAt?.getTime() ?? 0) > USE_RECORDED_MS)
    await sql('UPDATE import_tokens SET last_used_at = $3 WHERE organization_id = $1 AND id = $2', [
      found.organizationId,
      found.id,
      new Date(clock()),
    ]);
  return found ?? null;
}

/** `last_used_at` is written at most this often. */
const USE_RECORDED_MS = 60_000;

function computeHash(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function toView(row: TokenRow) {
  const { time } = voiceApiDialect;
  return {
    id: row.id,
    name: row.name,
    source: row.source,
    display: row.display,
    has_secret: row.hasSecret,
    created_at: time(row.createdAt),
    created_by: row.createdBy,
    last_used_at: row.lastUsedAt && time(row.lastUsedAt),
  };
}
