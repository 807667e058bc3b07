// Writes the recipient's links into texts outside of mail, at the last moment: a link is a
// credential, so stored texts have a placeholder (docs/notifications.md#recipient-data).
import type { Sql } from '@parley/server/postgres';
import type { BaseDeps } from '../base-deps.ts';
import { LINK_PLACEHOLDERS } from '../rendering/render-template.ts';
import { preferencesUrl, unsubscribeUrl } from './links.ts';
import { findRecipients, type Recipient } from './recipient.ts';

export type LinkDeps = Pick<BaseDeps, 'sql' | 'dataSealer' | 'config'>;

/** Whose links a text has. */
export interface LinkOwner {
  readonly organizationId: string;
  readonly userId: string | null;
  /** Has the category of the send. */
  readonly notificationId: string;
  readonly channel: string;
}

const PLACES = Object.values(LINK_PLACEHOLDERS);

export function hasLinks(text: string): boolean {
  return PLACES.some((place) => text.includes(place));
}

export interface MessageLinks {
  readonly unsubscribe: string;
  readonly preferences: string;
}

/** Without a category, as when its send was deleted, both links open the preferences. */
export function createMessageLinks(
  base: string,
  recipient: Pick<Recipient, 'id' | 'contact'>,
  category: string | null,
  channel: string,
): MessageLinks {
  const preferences = preferencesUrl(base, recipient);
  if (category === null) return { unsubscribe: preferences, preferences };
  return { unsubscribe: unsubscribeUrl(base, recipient, category, channel), preferences };
}

export function writeLinks(text: string, { unsubscribe, preferences }: MessageLinks): string {
  return text
    .replaceAll(LINK_PLACEHOLDERS.unsubscribe_url, unsubscribe)
    .replaceAll(LINK_PLACEHOLDERS.preferences_url, preferences);
}

/** The links of a deleted recipient open nothing. */
const NO_LINKS: MessageLinks = { unsubscribe: '', preferences: '' };

/** A text without links needs no query. */
export async function fillLinks(deps: LinkDeps, owner: LinkOwner, text: string): Promise<string> {
  return (await fillAllLinks(deps, [owner], [text]))[0]!;
}

/** Fills texts of one organisation and channel. */
export async function fillAllLinks(
  { sql, dataSealer, config }: LinkDeps,
  owners: readonly LinkOwner[],
  texts: readonly string[],
): Promise<string[]> {
  const places = owners.flatMap((owner, index) =>
    owner.userId !== null && hasLinks(texts[index]!) ? [{ ...owner, userId: owner.userId, index }] : [],
  );
  const filled = [...texts];
  if (places.length === 0) return filled;
  const { organizationId, channel } = places[0]!;
  const users = [...new Set(places.map(({ userId }) => userId))];
  const recipients = await findRecipients({ dataSealer }, sql, organizationId, users);
  const categories = await findCategories(
    sql,
    organizationId,
    places.map(({ notificationId }) => notificationId),
  );
  const base = config.PUBLIC_URL;
  for (const { userId, notificationId, index } of places) {
    const recipient = recipients.get(userId);
    const category = categories.get(notificationId) ?? null;
    const links =
      recipient && base !== undefined ? createMessageLinks(base, recipient, category, channel) : NO_LINKS;
    filled[index] = writeLinks(texts[index]!, links);
  }
  return filled;
}

async function findCategories(
  sql: Sql,
  organizationId: string,
  notificationIds: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const rows = await sql<{ id: string; category: string | null }>(
    `SELECT id, category FROM notifications WHERE organization_id = $1 AND id = ANY($2::text[])`,
    [organizationId, notificationIds],
  );
  return new Map(rows.map(({ id, category }) => [id, category]));
}
