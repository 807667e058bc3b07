// Recipients as they are kept (docs/notifications.md#recipients): their addresses, with the key that their links are signed with, under
// one seal.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Sql } from '@parley/postgres';
import { recipientContext } from '@parley/sealed-columns';
import type { Deps } from '../deps.ts';
import type { SwitchedOff } from './preference.rules.ts';

export interface Recipient {
  readonly id: string;
  readonly organizationId: string;
  readonly userId: string;
  readonly language: string | null;
  readonly timeZone: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly switchedOff: SwitchedOff;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly kept: Kept;
}

const keptShape = z.object({
  /** What links to its preferences are signed with; a recipient that is deleted takes it along, and its links with it. */
  link_key: z.string(),
  email: z.string().optional(),
  chat_webhook: z.string().optional(),
});
export type Kept = Readonly<z.output<typeof keptShape>>;

type Row = Omit<Recipient, 'kept'> & { readonly sealed: string };

const COLUMNS = `id, organization_id AS "organizationId", user_id AS "userId", sealed, language, time_zone AS "timeZone", attributes,
  switched_off AS "switchedOff", created_at AS "createdAt", updated_at AS "updatedAt"`;

/** As long as the digest that it keys. */
const LINK_KEY_BYTES = 32;

export const newLinkKey = () => randomBytes(LINK_KEY_BYTES).toString('base64url');

type SealDeps = Pick<Deps, 'dataSealer'>;

export function sealKept(
  { dataSealer }: SealDeps,
  row: { readonly organizationId: string; readonly id: string },
  kept: Kept,
): Promise<string> {
  return dataSealer.seal(JSON.stringify(kept), recipientContext(row));
}

async function opened({ dataSealer }: SealDeps, { sealed, ...row }: Row): Promise<Recipient> {
  const kept = keptShape.parse(JSON.parse(await dataSealer.unseal(sealed, recipientContext(row))));
  return { ...row, kept };
}

/** Those of these users that the organisation has put down, by user. */
export async function recipientsOf(
  deps: SealDeps,
  sql: Sql,
  organizationId: string,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, Recipient>> {
  if (userIds.length === 0) return new Map();
  const rows = await sql<Row>(
    `SELECT ${COLUMNS} FROM recipients WHERE organization_id = $1 AND user_id = ANY($2::text[])`,
    [organizationId, userIds],
  );
  const all = await Promise.all(rows.map((row) => opened(deps, row)));
  return new Map(all.map((recipient) => [recipient.userId, recipient]));
}

/** In whichever organisation: of a link, whose signature says that it is the right one. */
export async function recipientById(deps: SealDeps, sql: Sql, id: string): Promise<Recipient | undefined> {
  const [row] = await sql<Row>(`SELECT ${COLUMNS} FROM recipients WHERE id = $1`, [id]);
  return row && opened(deps, row);
}

/** By user, from behind `after`. */
export async function recipientPage(
  deps: SealDeps,
  sql: Sql,
  organizationId: string,
  after: string,
  limit: number,
): Promise<Recipient[]> {
  const rows = await sql<Row>(
    `SELECT ${COLUMNS} FROM recipients WHERE organization_id = $1 AND user_id > $2 ORDER BY user_id LIMIT $3::int`,
    [organizationId, after, limit],
  );
  return Promise.all(rows.map((row) => opened(deps, row)));
}
