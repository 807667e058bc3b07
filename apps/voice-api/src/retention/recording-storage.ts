// Where recordings are copied to: the setting of an organisation or a bot
// (docs/voice-api.md#copies-of-recordings), and the buckets that it has named.
import { z } from 'zod';
import { AppError, problemIn } from '@parley/envelopes';
import { isSecretReference, parseSecretName, type Outbound } from '@parley/outbound';
import type { Sql } from '@parley/server/postgres';

/** Names of buckets, as AWS has them; other stores allow no more. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^([A-Za-z0-9_.-][A-Za-z0-9/_.-]*)?$/;

const storageMembers = z.strictObject({
  endpoint: z
    .string()
    .max(500)
    .describe('Address of the store, such as `https://s3.eu-central-1.amazonaws.com`, without the bucket'),
  region: z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'must be a region such as eu-central-1 or auto'),
  bucket: z.string().regex(BUCKET, 'must be the name of a bucket'),
  prefix: z
    .string()
    .max(200)
    .regex(PREFIX, 'must have letters, digits and / _ . - only, and must not begin with a slash')
    .default('')
    .describe('Stands before the name of each object, for example `calls/`'),
  access_key_id: z.string().regex(/^[^\s/,=]{1,128}$/, 'must be the id of an access key'),
  secret_access_key: z
    .string()
    .max(512)
    .refine((given) => isSecretReference(given) && parseSecretName(given) !== null, {
      message: 'must be secret://<name>, the name of a secret of the organisation',
    })
    .describe('`secret://<name>`, which is read for each request to the store'),
});

const description =
  'The bucket that gets a copy of each recording. Absent: no rule here. Null: no copies, also where the organisation has a bucket';
export const recordingStorage = storageMembers.nullable().optional().meta({ description });
export type RecordingStorage = z.output<typeof storageMembers>;

/** A store as rows have it. */
export interface Store {
  readonly id: string;
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secret: string;
}

export const STORE_COLUMNS = `store.id, store.endpoint, store.region, store.bucket, store.prefix,
  store.access_key_id AS "accessKeyId", store.secret`;

/** The id in rules that want no copies. */
export const NO_STORE = '';

/** @throws AppError invalid_request when the address may not be sent to */
export function requireReachable(outbound: Pick<Outbound, 'checkUrl'>, { endpoint }: RecordingStorage): void {
  const check = outbound.checkUrl(endpoint);
  const problem = !check.ok
    ? check.problem
    : check.url.search + check.url.hash !== '' && 'must have neither a query nor a fragment';
  if (problem)
    throw new AppError('invalid_request', `recording_storage.endpoint ${problem}.`, {
      fields: [problemIn('body', ['recording_storage', 'endpoint'], problem)],
    });
}

/**
 * Stores the setting of a place, and returns the id for its rule. A bucket that it named before
 * gets the new credentials, so that its old copies stay readable; failed copies to it are tried
 * again. Buckets without copies are forgotten.
 */
export async function saveStore(
  sql: Sql,
  place: { readonly organizationId: string; readonly botId: string },
  storage: RecordingStorage | null | undefined,
  { newId, now }: { readonly newId: string; readonly now: Date },
): Promise<string | null> {
  const key = [place.organizationId, place.botId];
  let id: string | null = storage === undefined ? null : NO_STORE;
  if (storage) {
    const [row] = await sql<{ id: string }>(
      `INSERT INTO recording_stores
         (organization_id, bot_id, id, endpoint, region, bucket, prefix, access_key_id, secret)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       ON CONFLICT (organization_id, bot_id, endpoint, bucket) DO UPDATE
       SET region = excluded.region, prefix = excluded.prefix, access_key_id = excluded.access_key_id,
         secret = excluded.secret
       RETURNING id`,
      [
        ...key,
        newId,
        storage.endpoint.replace(/\/+$/, ''),
        storage.region,
        storage.bucket,
        storage.prefix,
        storage.access_key_id,
        storage.secret_access_key,
      ],
    );
    id = row!.id;
    await sql(
      `UPDATE recording_copies SET status = 'waiting', attempts = 0, next_at = $2
       WHERE store_id = $1 AND status = 'failed'`,
      [id, now],
    );
  }
  await sql(
    `DELETE FROM recording_stores WHERE organization_id = $1 AND bot_id = $2 AND id <> $3
       AND NOT EXISTS (SELECT 1 FROM recording_copies WHERE store_id = recording_stores.id)`,
    [...key, id ?? NO_STORE],
  );
  return id;
}

/** The setting of a rule in its wire shape; undefined: no rule here. */
export async function readStorage(
  sql: Sql,
  storeId: string | null | undefined,
): Promise<RecordingStorage | null | undefined> {
  if (storeId === null || storeId === undefined) return undefined;
  if (storeId === NO_STORE) return null;
  const [store] = await sql<Store>(`SELECT ${STORE_COLUMNS} FROM recording_stores AS store WHERE id = $1`, [
    storeId,
  ]);
  if (!store) return null;
  const { endpoint, region, bucket, prefix } = store;
  return {
    endpoint,
    region,
    bucket,
    prefix,
    access_key_id: store.accessKeyId,
    secret_access_key: store.secret,
  };
}
