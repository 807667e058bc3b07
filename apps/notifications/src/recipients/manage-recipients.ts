// PUT, GET, DELETE /v1/recipients/{user_id} and the list: recipients of an organisation and their
// addresses.
import { AppError, decodeCursor, notificationsDialect, toPage } from '@parley/envelopes';
import { Reply, type Caller } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import { maskAddress } from '../addresses/masked-address.ts';
import { leaveTopics } from '../topics/manage-topics.ts';
import { makeLink, preferencesUrl } from '../people/links.ts';
import {
  newLinkKey,
  listRecipientPage,
  findRecipients,
  sealContact,
  type Recipient,
} from '../people/recipient.ts';
import { eraseSuppressedAddress } from '../people/suppression.ts';
import type { PutRecipient } from './schemas.ts';

const { time } = notificationsDialect;

export function toWire({ contact, ...row }: Recipient) {
  return {
    user_id: row.userId,
    email: contact.email ?? null,
    chat_webhook: contact.chat_webhook === undefined ? null : maskAddress(new URL(contact.chat_webhook)),
    language: row.language,
    time_zone: row.timeZone,
    attributes: row.attributes,
    created_at: time(row.createdAt),
    updated_at: time(row.updatedAt),
  };
}

/** Keeps preferences and links. @throws AppError invalid_request, limit_exceeded */
export async function putRecipient(deps: Deps, caller: Caller, userId: string, given: PutRecipient) {
  const { email, chat_webhook: chatWebhook, language, time_zone: timeZone, attributes } = given;
  if (chatWebhook !== undefined) {
    const checked = deps.outbound.checkUrl(chatWebhook);
    if (!checked.ok) refuse('/chat_webhook', checked.problem);
  }
  const { organizationId } = caller;
  return deps.transact(async (sql) => {
    const { id, isNew } = await ensureRecipient(deps, sql, organizationId, userId);
    const known = (await findRecipients(deps, sql, organizationId, [userId])).get(userId)!;
    const contact = {
      link_key: known.contact.link_key,
      ...(email === undefined ? {} : { email }),
      ...(chatWebhook === undefined ? {} : { chat_webhook: chatWebhook }),
    };
    const next: Recipient = {
      ...known,
      contact,
      language: language === undefined ? null : Intl.getCanonicalLocales(language)[0]!,
      timeZone: timeZone ?? null,
      attributes,
      updatedAt: new Date(deps.clock()),
    };
    await sql(
      `UPDATE recipients SET sealed = $3, language = $4, time_zone = $5, attributes = $6::jsonb, updated_at = $7
       WHERE organization_id = $1 AND id = $2`,
      [
        organizationId,
        id,
        await sealContact(deps, known, contact),
        next.language,
        next.timeZone,
        JSON.stringify(attributes),
        next.updatedAt,
      ],
    );
    return new Reply(toWire(next), { status: isNew ? 201 : 200 });
  });
}

/** Locks the row of a user, and creates it if needed. @throws AppError limit_exceeded */
export async function ensureRecipient(
  deps: Pick<Deps, 'dataSealer' | 'ids' | 'clock' | 'limits'>,
  sql: Deps['sql'],
  organizationId: string,
  userId: string,
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const id = deps.ids('rcp');
  const sealed = await sealContact(deps, { organizationId, id }, { link_key: newLinkKey() });
  const [made] = await sql(
    `INSERT INTO recipients (id, organization_id, user_id, sealed, attributes, switched_off, created_at, updated_at)
     VALUES ($1, $2, $3, $4, '{}', '{}', $5, $5) ON CONFLICT (organization_id, user_id) DO NOTHING RETURNING 1 AS one`,
    [id, organizationId, userId, sealed, new Date(deps.clock())],
  );
  if (made) {
    await deps.limits.caps.added(sql, organizationId, 'recipients');
    return { id, isNew: true };
  }
  const [row] = await sql<{ id: string }>(
    'SELECT id FROM recipients WHERE organization_id = $1 AND user_id = $2 FOR UPDATE',
    [organizationId, userId],
  );
  if (!row) throw new AppError('conflict', `recipient "${userId}" is being deleted`);
  return { id: row.id, isNew: false };
}

/** @throws AppError not_found */
export async function getRecipient(deps: Deps, { organizationId }: Caller, userId: string) {
  return toWire(await findRecipient(deps, organizationId, userId));
}

async function findRecipient(deps: Deps, organizationId: string, userId: string): Promise<Recipient> {
  const found = (await findRecipients(deps, deps.sql, organizationId, [userId])).get(userId);
  if (!found) throw unknownRecipient(userId);
  return found;
}

export async function listRecipients(
  deps: Deps,
  { organizationId }: Caller,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
) {
  const [after] = cursor === undefined ? [''] : decodeCursor(cursor, 'text');
  const rows = await listRecipientPage(deps, deps.sql, organizationId, after, limit + 1);
  return toPage(rows, limit, ({ userId }) => [userId], toWire);
}

/**
 * Also deletes preferences, links and topic memberships. A suppression of the address stays as a
 * digest. @throws AppError not_found
 */
export async function deleteRecipient(deps: Deps, { organizationId }: Caller, userId: string): Promise<void> {
  await deps.transact(async (sql) => {
    if (!(await eraseRecipient(deps, sql, organizationId, userId))) throw unknownRecipient(userId);
  });
}

/** Returns whether there was one. */
export async function eraseRecipient(
  deps: Pick<Deps, 'dataSealer'>,
  sql: Sql,
  organizationId: string,
  userId: string,
): Promise<boolean> {
  const known = (await findRecipients(deps, sql, organizationId, [userId])).get(userId);
  const removed = await sql(
    'DELETE FROM recipients WHERE organization_id = $1 AND user_id = $2 RETURNING 1 AS one',
    [organizationId, userId],
  );
  if (removed.length === 0) return false;
  await leaveTopics(sql, organizationId, userId);
  if (known?.contact.email !== undefined)
    await eraseSuppressedAddress(sql, organizationId, known.contact.email);
  return true;
}

/** @throws AppError not_found */
export async function createPreferencesLink(deps: Deps, { organizationId }: Caller, userId: string) {
  const recipient = await findRecipient(deps, organizationId, userId);
  const link = makeLink(recipient, { kind: 'preferences' });
  const base = deps.config.PUBLIC_URL;
  if (base === undefined) return { link, url: null, page_url: null };
  return { link, url: `${base}/v1/preferences?link=${link}`, page_url: preferencesUrl(base, recipient) };
}

function unknownRecipient(userId: string): AppError {
  return new AppError('not_found', `there is no recipient "${userId}"`);
}

function refuse(path: string, message: string): never {
  throw new AppError('invalid_request', 'the request is not valid', { fields: [{ path, message }] });
}
