// Loads the recipients, categories and suppressed addresses that sends name, once for all sends of
// a request.
import type { Sql } from '@parley/server/postgres';
import type { BaseDeps } from '../base-deps.ts';
import { isPersonal, type Category } from './opt-out.rules.ts';
import { findRecipients, type Recipient } from './recipient.ts';
import { findSuppressed, type Suppressed } from './suppression.ts';

export interface People {
  readonly recipients: ReadonlyMap<string, Recipient>;
  readonly categories: ReadonlyMap<string, Category>;
  readonly suppressed: Suppressed;
}

/** The members of a send that name recipients or a category. */
interface RecipientQuery {
  readonly channels: readonly string[];
  /** Channels that follow later. */
  readonly steps?: readonly { readonly channels: readonly string[] }[] | undefined;
  readonly category?: string | undefined;
  readonly target: Readonly<Record<string, unknown>>;
  /** Need the recipient's language or time zone. */
  readonly template?: unknown;
  readonly quiet_hours?: unknown;
  readonly send_window?: unknown;
}

/** The other channels need only the user's id. */
const ADDRESSED_CHANNELS: ReadonlySet<string> = new Set(['chat', 'email']);

/** Runs no query for sends that need none, such as plain ones. */
export async function loadPeople(
  deps: Pick<BaseDeps, 'dataSealer'>,
  sql: Sql,
  organizationId: string,
  sends: readonly RecipientQuery[],
): Promise<People> {
  const named = new Set(sends.flatMap(({ category }) => category ?? []));
  const categories = await loadCategories(sql, organizationId, [...named]);
  const users = new Set<string>();
  for (const send of sends) {
    const { category, target, template, quiet_hours: quiet, send_window: window } = send;
    const needsRecipients =
      (category !== undefined && categories.get(category)?.required === false) ||
      (template ?? quiet ?? window) !== undefined;
    for (const name of listChannels(send)) {
      const user = getTargetUser(target[name]);
      if (user !== undefined && (ADDRESSED_CHANNELS.has(name) || (needsRecipients && isPersonal(name))))
        users.add(user);
    }
  }
  const recipients =
    users.size === 0
      ? new Map<string, Recipient>()
      : await findRecipients(deps, sql, organizationId, [...users]);
  const mailed = sends.filter((send) => listChannels(send).includes('email'));
  const addresses = mailed.flatMap(({ target: { email } }) => {
    const user = getTargetUser(email);
    return findAddress(email, user === undefined ? undefined : recipients.get(user)).address ?? [];
  });
  const suppressed = await findSuppressed(sql, organizationId, [...new Set(addresses)]);
  return { categories, recipients, suppressed };
}

/** The address of a mail, and the user that its target names. */
export function findAddress(target: unknown, recipient: Recipient | undefined) {
  const user = getTargetUser(target);
  if (user !== undefined) return { user, address: recipient?.contact.email };
  const { email = target } = (target ?? {}) as { email?: unknown };
  return { user, address: typeof email === 'string' ? email : undefined };
}

/** The recipient that a send names. Their language and time zone apply to the whole send. */
export function findSendRecipient(send: RecipientQuery, { recipients }: People): Recipient | undefined {
  const users = listChannels(send).flatMap((name) => getTargetUser(send.target[name]) ?? []);
  return users.map((user) => recipients.get(user)).find((found) => found !== undefined);
}

/** The user whom a send names: the one of `findSendRecipient`, or one who is not stored. */
export function findSendUser(send: RecipientQuery, people: People): string | undefined {
  const [first] = listChannels(send).flatMap((name) => getTargetUser(send.target[name]) ?? []);
  return findSendRecipient(send, people)?.userId ?? first;
}

function listChannels({ channels, steps = [] }: RecipientQuery): string[] {
  return [...channels, ...steps.flatMap((step) => step.channels)];
}

/** The user in a channel's target; undefined for an address or everybody. */
export function getTargetUser(target: unknown): string | undefined {
  const { user_id: user } = (target ?? {}) as { user_id?: unknown };
  return typeof user === 'string' ? user : undefined;
}

async function loadCategories(
  sql: Sql,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Category>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<Category>(
    `SELECT id, name, description, required, opt_in AS "optIn" FROM categories WHERE organization_id = $1 AND id = ANY($2::text[])`,
    [organizationId, ids],
  );
  return new Map(rows.map((category) => [category.id, category]));
}
