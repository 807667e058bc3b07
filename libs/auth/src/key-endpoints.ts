// The endpoints of key management, the same in every service (docs/platform.md#credentials).
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { audit } from '@parley/server/audit';
import { AppError, decodeCursor, pageQuery, pathId, toPage, type Dialect } from '@parley/envelopes';
import {
  createOrReplace,
  creates,
  del,
  get,
  put,
  Reply,
  SCOPES,
  type Caller,
  type Endpoint,
} from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import { isAddressBlock, type Clock, type Ids } from '@parley/server/runtime';
import { computeHash, type KeyEnvironment, type Product } from './api-key.ts';
import {
  changeApiKey,
  findApiKey,
  findApiKeyByHash,
  getApiKey,
  isUsable,
  issueApiKey,
  listApiKeys,
  retireApiKey,
  revokeApiKey,
  sortScopes,
  type ApiKeyRecord,
  type KeySettings,
} from './api-keys.ts';

const NAME_CHARACTERS_MAX = 255;
/** Networks of an organisation; every request is compared with each. */
const ALLOWED_IPS_MAX = 50;
/** A list filters by each of them. The same limit as for a webhook. */
const BOT_IDS_MAX = 100;
const BOT_ID_CHARACTERS_MAX = 255;
/** The product whose keys may be bound to bots: it owns them (docs/platform.md#bound-keys). */
const BINDS_TO_BOTS: Product = 'va';
/** How long an old key may stay valid with its successor (docs/platform.md#credentials). */
const GRACE_SECONDS_MAX = 30 * 24 * 60 * 60;

export interface KeyEndpointsOptions {
  readonly product: Product;
  /** The environment in new keys: `live` in production, else `test`. */
  readonly environment: KeyEnvironment;
  readonly dialect: Dialect;
  readonly sql: Sql;
  readonly transact: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;
  readonly clock: Clock;
  readonly ids: Ids;
  /**
   * Called in the transaction that added a key. @throws AppError limit_exceeded when there are too
   * many.
   */
  readonly refuseTooMany: (sql: Sql, organizationId: string) => Promise<void>;
}

/** By our id or that of the organisation. */
const keyParams = z.strictObject({ id: z.string().max(255) });
const ownKeyParams = z.strictObject({ id: pathId() });

export function keyEndpoints(options: KeyEndpointsOptions): Endpoint[] {
  const { dialect, clock, ids, sql } = options;
  const binds = options.product === BINDS_TO_BOTS;
  const key = keySchema(dialect, binds);
  const issued = key
    .extend({ key: z.string().describe('The key itself: only this answer shows it') })
    .meta({ id: 'IssuedApiKey' });

  const newKey = newKeySchema(dialect, binds);

  return [
    creates(
      '/api-keys',
      {
        operationId: 'createApiKey',
        summary: 'Issue a product API key; only this answer shows it',
        scope: 'admin',
        body: newKey,
        replies: { 201: issued },
        secretInForce: keyInForce,
        refusals: ['limit_exceeded'],
      },
      ({ caller, body, transaction }) => issue(transaction.sql, caller, toSettings(body)),
    ),

    put(
      '/api-keys/{id}',
      {
        operationId: 'putApiKey',
        summary: 'Create or change a key by an id of your own; only the answer 201 shows the key',
        scope: 'admin',
        params: ownKeyParams,
        body: newKey,
        replies: { 200: key, 201: issued },
        refusals: ['conflict', 'last_admin_key', 'limit_exceeded'],
      },
      ({ caller, params: { id }, body }) =>
        options.transact((within) =>
          createOrReplace(
            within,
            { organizationId: caller.organizationId, prefix: 'key', id },
            {
              find: () => findApiKey(within, caller.organizationId, id),
              create: () => issue(within, caller, toSettings(body), id),
              replace: (record) => change(within, caller, record, toSettings(body)),
            },
          ),
        ),
    ),

    get(
      '/api-keys',
      {
        operationId: 'listApiKeys',
        summary: 'List the keys that are not revoked, newest first',
        scope: 'admin',
        query: z.strictObject(pageQuery()),
        replies: { 200: dialect.pageSchema(key) },
      },
      async ({ caller, query }) => {
        const beforeId = query.cursor === undefined ? null : decodeCursor(query.cursor, 'text')[0];
        const records = await listApiKeys(sql, caller.organizationId, query.limit, beforeId);
        return dialect.page(toPage(records, query.limit, (record) => [record.id], toView));
      },
    ),

    get(
      '/api-keys/me',
      {
        operationId: 'getMyApiKey',
        summary: 'Get the key that this request was made with',
        scope: 'any',
        boundKeys: binds,
        replies: { 200: key },
        refusals: ['not_found'],
      },
      async ({ caller }) => {
        if (caller.kind !== 'api_key')
          throw new AppError('not_found', 'api key: this request was made without one');
        return toView(await getApiKey(sql, caller.organizationId, caller.principal));
      },
    ),

    get(
      '/api-keys/{id}',
      {
        operationId: 'getApiKey',
        summary: 'Get a key that is not revoked',
        scope: 'admin',
        params: keyParams,
        replies: { 200: key },
      },
      async ({ caller, params }) => toView(await getApiKey(sql, caller.organizationId, params.id)),
    ),

    del(
      '/api-keys/{id}',
      {
        operationId: 'deleteApiKey',
        summary: 'Revoke a key immediately',
        scope: 'admin',
        params: keyParams,
        replies: { 200: z.strictObject({ id: z.string(), deleted: z.literal(true) }) },
        refusals: ['last_admin_key'],
      },
      ({ caller, params }) =>
        options.transact(async (within) => {
          const { id } = await getApiKey(within, caller.organizationId, params.id);
          await revokeApiKey(within, caller.organizationId, id, clock(), 'organization');
          await audit(within, options, caller, { action: 'api_key.revoked', target: id });
          return { id, deleted: true };
        }),
    ),

    creates(
      '/api-keys/{id}/rotate',
      {
        operationId: 'rotateApiKey',
        summary: `Issue a successor with the same name, scopes${binds ? ', bots' : ''} and addresses; the old key stays valid for the grace time`,
        scope: 'admin',
        params: keyParams,
        body: z.strictObject({ grace_seconds: z.int().min(0).max(GRACE_SECONDS_MAX).default(0) }),
        replies: { 201: issued },
        refusals: ['conflict', 'limit_exceeded'],
        secretInForce: keyInForce,
      },
      async ({ caller, params, body, transaction }) =>
        rotate(transaction.sql, caller, params.id, body.grace_seconds),
    ),
  ];

  function issueBy(caller: Caller) {
    return {
      product: options.product,
      environment: options.environment,
      organizationId: caller.organizationId,
      createdBy: caller.principal,
      nowMs: clock(),
      id: ids('key'),
    };
  }

  function toSettings(body: z.output<typeof newKey>): KeySettings {
    return {
      name: body.name,
      scopes: sortScopes(body.scopes),
      expiresAt: body.expires_at ?? null,
      allowedIps: body.allowed_ips,
      botIds: (body as { bot_ids?: string[] }).bot_ids ?? [],
    };
  }

  function toDetails({ name, scopes, expiresAt, allowedIps, botIds }: KeySettings) {
    return {
      name,
      scopes,
      expires_at: expiresAt,
      allowed_ips: allowedIps,
      ...(binds ? { bot_ids: botIds } : {}),
    };
  }

  function requireFuture({ expiresAt }: KeySettings): void {
    if (expiresAt === null || expiresAt.getTime() > clock()) return;
    throw new AppError('invalid_request', 'the request is not valid', {
      fields: [{ path: '/expires_at', message: 'must be in the future' }],
    });
  }

  async function issue(within: Sql, caller: Caller, settings: KeySettings, externalId: string | null = null) {
    requireFuture(settings);
    const { key: text, record } = await issueApiKey(within, { ...issueBy(caller), ...settings, externalId });
    await options.refuseTooMany(within, caller.organizationId);
    const details = { ...toDetails(record), ...(externalId === null ? {} : { external_id: externalId }) };
    await audit(within, options, caller, { action: 'api_key.issued', target: record.id, details });
    return new Reply({ ...toView(record), key: text }, { status: 201 });
  }

  async function change(within: Sql, caller: Caller, record: ApiKeyRecord, settings: KeySettings) {
    const { name, scopes, expiresAt, allowedIps, botIds } = record;
    if (isDeepStrictEqual(settings, { name, scopes, expiresAt, allowedIps, botIds }))
      return new Reply(toView(record), { status: 200 });
    requireFuture(settings);
    const changed = await changeApiKey(within, record, settings, clock());
    if (!isUsable(record, clock())) await options.refuseTooMany(within, caller.organizationId);
    const details = toDetails(changed);
    await audit(within, options, caller, { action: 'api_key.changed', target: record.id, details });
    return new Reply(toView(changed), { status: 200 });
  }

  async function keyInForce(within: Sql, { organizationId }: Caller, shown: { key: string }) {
    const record = await findApiKeyByHash(within, computeHash(shown.key));
    if (record?.organizationId !== organizationId) return false;
    return record.rotatedTo === null && isUsable(record, clock());
  }

  async function rotate(within: Sql, caller: Caller, id: string, graceSeconds: number) {
    const old = await getApiKey(within, caller.organizationId, id);
    if (old.expiresAt && old.expiresAt.getTime() <= clock()) {
      // Its successor would end at the same time, so it would already be expired.
      throw new AppError('conflict', `api key: "${id}" has expired: issue a new one`);
    }
    const { name, scopes, expiresAt, allowedIps, botIds, externalId } = old;
    const issue = { ...issueBy(caller), name, scopes, expiresAt, allowedIps, botIds, externalId };
    await retireApiKey(within, caller.organizationId, old.id, {
      successorId: issue.id,
      graceSeconds,
      nowMs: issue.nowMs,
    });
    const { key: text, record } = await issueApiKey(within, issue);
    if (graceSeconds > 0) await options.refuseTooMany(within, caller.organizationId);
    const details = { successor: record.id, grace_seconds: graceSeconds };
    await audit(within, options, caller, { action: 'api_key.rotated', target: old.id, details });
    return { ...toView(record), key: text };
  }

  function toView(record: ApiKeyRecord) {
    const time = (date: Date | null) => (date === null ? null : dialect.time(date));
    return {
      id: record.id,
      external_id: record.externalId,
      name: record.name,
      display: record.display,
      scopes: record.scopes,
      allowed_ips: record.allowedIps,
      ...(binds ? { bot_ids: record.botIds } : {}),
      created_at: dialect.time(record.createdAt),
      created_by: record.createdBy,
      expires_at: time(record.expiresAt),
      last_used_at: time(record.lastUsedAt),
      rotated_to: record.rotatedTo,
    };
  }
}

const botIdsSchema = z
  .array(z.string().min(1).max(BOT_ID_CHARACTERS_MAX))
  .max(BOT_IDS_MAX)
  .refine((ids) => new Set(ids).size === ids.length, 'names a bot twice')
  .meta({ uniqueItems: true })
  .default([])
  .describe('Bots that the key is bound to: it accesses only what belongs to them; empty: everything');

function newKeySchema(dialect: Dialect, binds: boolean) {
  return z
    .strictObject({
      name: z.string().trim().min(1).max(NAME_CHARACTERS_MAX),
      scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
      expires_at: dialect.timeInput.nullish(),
      allowed_ips: z
        .array(
          z
            .string()
            .max(64)
            .refine(isAddressBlock, 'must be an address or a block, such as 192.0.2.0/24')
            .describe('An IPv4 or IPv6 address, or a block of them, such as 192.0.2.0/24')
            .meta({ pattern: '^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$' }),
        )
        .max(ALLOWED_IPS_MAX)
        .default([])
        .describe('Addresses and blocks from which the key is accepted; empty: any'),
      ...(binds ? { bot_ids: botIdsSchema } : {}),
    })
    .meta({ id: 'NewApiKey' });
}

function keySchema(dialect: Dialect, binds: boolean) {
  return z
    .strictObject({
      id: z.string(),
      external_id: z.string().nullable().describe('The id that you chose with PUT; paths take it as well'),
      name: z.string(),
      display: z.string().describe('The beginning of the key, to identify it'),
      scopes: z.array(z.enum(SCOPES)),
      allowed_ips: z.array(z.string()).describe('Accepted only from these addresses; empty: from any'),
      ...(binds ? { bot_ids: z.array(z.string()).describe('Bound to these bots; empty: not bound') } : {}),
      created_at: dialect.timeSchema,
      created_by: z.string(),
      expires_at: dialect.timeSchema.nullable(),
      last_used_at: dialect.timeSchema.nullable().describe('Accurate to a minute'),
      rotated_to: z.string().nullable().describe('The id of the key that replaced this one'),
    })
    .meta({ id: 'ApiKey' });
}
