// Stored recipients (docs/notifications.md#recipients). Addresses and the key that signs links are
// sealed together.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Sql } from '@parley/server/postgres';
import { recipientContext } from '@parley/server/sealed-columns';
import type { BaseDeps } from '../base-deps.ts';
import type { Choices } from './opt-out.rules.ts';

export interface Recipient extends Choices {
  readonly id: string;
  readonly organizationId: string;
  readonly userId: string;
  readonly language: string | null;
  readonly timeZone: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly contact: Contact;
}

const contactSchema = z.object({
  /** Signs links to the preferences, which end with the recipient. */
  link_key: z.string(),
  email: z.string().optional(),
  chat_webhook: z.string().optional(),
});
export type Contact = Readonly<z.output<typeof contactSchema>>;

type Row = Omit<Recipient, 'contact'> & { readonly sealed: string };

const COLUMNS = `id, organization_id AS "organizationId", user_id AS "userId", sealed, language, time_zone AS "timeZone", attributes,
  switched_off AS "switchedOff", switched_on AS "switchedOn", created_at AS "createdAt", updated_at AS "updatedAt"`;

/** As long as the digest that it keys. */
const LINK_KEY_BYTES = 32;

export const newLinkKey = () => randomBytes(LINK_KEY_BYTES).toString('base64url');

type SealDeps = Pick<BaseDeps, 'dataSealer'>;

export function sealContact(
  { dataSealer }: SealDeps,
  row: { readonly organizationId: string; readonly id: string },
  contact: Contact,
): Promise<string> {
  return dataSealer.seal(JSON.stringify(contact), recipientContext(row));
}

async function unsealRecipient({ dataSealer }: SealDeps, { sealed, ...row }: Row): Promise<Recipient> {
  const contact = contactSchema.parse(JSON.parse(await dataSealer.unseal(sealed, recipientContext(row))));
  return { ...row, contact };
}

/** The stored recipients among these users, by user. */
export async function findRecipients(
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
  const all = await Promise.all(rows.map((row) => unsealRecipient(deps, row)));
  return new Map(all.map((recipient) => [recipient.userId, recipient]));
}

/** In any organisation: for a link, whose signature authenticates it. */
export async function findRecipientById(
  deps: SealDeps,
  sql: Sql,
  id: string,
): Promise<Recipient | undefined> {
  const [row] = await sql<Row>(`SELECT ${COLUMNS} FROM recipients WHERE id = $1`, [id]);
  return row && unsealRecipient(deps, row);
}

/** A page of recipients in the order of their users, after `after`. */
export async function listRecipientPage(
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
  return Promise.all(rows.map((row) => unsealRecipient(deps, row)));
}
