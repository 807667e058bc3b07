// What is known of those whom sends name, and of the categories that they are of: read at once, however many sends there are.
import type { Sql } from '@parley/postgres';
import type { Deps } from '../deps.ts';
import { isPersonal, type Category } from './preference.rules.ts';
import { recipientsOf, type Recipient } from './recipient.ts';

export interface People {
  readonly recipients: ReadonlyMap<string, Recipient>;
  readonly categories: ReadonlyMap<string, Category>;
}

/** What of a send is asked for. */
interface Naming {
  readonly channels: readonly string[];
  /** Channels that follow later. */
  readonly steps?: readonly { readonly channels: readonly string[] }[] | undefined;
  readonly category?: string | undefined;
  readonly target: Readonly<Record<string, unknown>>;
  /** What is said in their language, and sent by their clock. */
  readonly template?: unknown;
  readonly quiet_hours?: unknown;
  readonly send_window?: unknown;
}

/** The inbox and push know a user by the id alone. */
const BY_ADDRESS: ReadonlySet<string> = new Set(['chat', 'email']);

/** Asks nothing where nothing has to be known, as of a plain send. */
export async function peopleOf(
  deps: Pick<Deps, 'dataSealer'>,
  sql: Sql,
  organizationId: string,
  sends: readonly Naming[],
): Promise<People> {
  const named = new Set(sends.flatMap(({ category }) => category ?? []));
  const categories = await categoriesOf(sql, organizationId, [...named]);
  const users = new Set<string>();
  for (const send of sends) {
    const { category, target, template, quiet_hours: quiet, send_window: window } = send;
    const asked =
      (category !== undefined && categories.get(category)?.required === false) ||
      (template ?? quiet ?? window) !== undefined;
    for (const name of channelsOf(send)) {
      const user = userIn(target[name]);
      if (user !== undefined && (BY_ADDRESS.has(name) || (asked && isPersonal(name)))) users.add(user);
    }
  }
  return { categories, recipients: await recipientsOf(deps, sql, organizationId, [...users]) };
}

/** The recipient of a send that names one: what is theirs (language, clock) holds for all of it. */
export function recipientIn(send: Naming, { recipients }: People): Recipient | undefined {
  const users = channelsOf(send).flatMap((name) => userIn(send.target[name]) ?? []);
  return users.map((user) => recipients.get(user)).find((found) => found !== undefined);
}

function channelsOf({ channels, steps = [] }: Naming): string[] {
  return [...channels, ...steps.flatMap((step) => step.channels)];
}

/** Whom the target of a channel names; undefined where it names an address, or everybody. */
export function userIn(target: unknown): string | undefined {
  const { user_id: user } = (target ?? {}) as { user_id?: unknown };
  return typeof user === 'string' ? user : undefined;
}

async function categoriesOf(
  sql: Sql,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Category>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<Category>(
    `SELECT id, name, description, required FROM categories WHERE organization_id = $1 AND id = ANY($2::text[])`,
    [organizationId, ids],
  );
  return new Map(rows.map((category) => [category.id, category]));
}
