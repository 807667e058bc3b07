// GET and PUT /v1/preferences: which categories a recipient wants on which channels. Authorised by
// the recipient's identity token, a signed link, or an API key with `user_id`.
import { AppError, type FieldProblem } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import { getReader, requireUser } from '../callers/reader.ts';
import { listCategories } from './manage-categories.ts';
import { ensureRecipient } from './manage-recipients.ts';
import {
  applyChanges,
  isSwitchedOff,
  PERSONAL_CHANNELS,
  type Category,
  type SwitchedOff,
} from '../people/opt-out.rules.ts';
import type { PutPreferences } from './schemas.ts';

/** @throws AppError insufficient_scope, invalid_request */
export async function getPreferences(
  { sql, channels }: Pick<Deps, 'sql' | 'channels'>,
  caller: Caller,
  userId: string | undefined,
) {
  const { organizationId, userId: user } = requireOwner(caller, userId);
  const categories = await listCategories(sql, organizationId);
  return toWire({ channels }, user, categories, await readSwitchedOff(sql, organizationId, user));
}

const requireOwner = (caller: Caller, userId: string | undefined) =>
  requireUser(getReader(caller, userId), 'preferences belong to one user');

async function readSwitchedOff(sql: Sql, organizationId: string, userId: string): Promise<SwitchedOff> {
  const [row] = await sql<{ off: SwitchedOff }>(
    'SELECT switched_off AS off FROM recipients WHERE organization_id = $1 AND user_id = $2',
    [organizationId, userId],
  );
  return row?.off ?? {};
}

/** @throws AppError invalid_request for an unknown category; unprocessable for a required one */
export async function putPreferences(
  deps: Deps,
  caller: Caller,
  userId: string | undefined,
  { categories: changes }: PutPreferences,
) {
  const { organizationId, userId: user } = requireOwner(caller, userId);
  return deps.transact(async (sql) => {
    const categories = await listCategories(sql, organizationId);
    checkChanges(categories, changes);
    const off = await changeSwitchedOff(deps, sql, organizationId, user, (before) =>
      applyChanges(before, changes, categories),
    );
    return toWire(deps, user, categories, off);
  });
}

/** Runs in the caller's transaction and locks the row. */
export async function changeSwitchedOff(
  deps: Deps,
  sql: Sql,
  organizationId: string,
  userId: string,
  change: (before: SwitchedOff) => SwitchedOff,
): Promise<SwitchedOff> {
  const { id } = await ensureRecipient(deps, sql, organizationId, userId);
  const off = change(await readSwitchedOff(sql, organizationId, userId));
  await sql(
    'UPDATE recipients SET switched_off = $3::jsonb, updated_at = $4 WHERE organization_id = $1 AND id = $2',
    [organizationId, id, JSON.stringify(off), new Date(deps.clock())],
  );
  return off;
}

function checkChanges(categories: readonly Category[], changes: PutPreferences['categories']): void {
  const byId = new Map(categories.map((category) => [category.id, category]));
  const unknown: FieldProblem[] = Object.keys(changes)
    .filter((id) => !byId.has(id))
    .map((id) => ({ path: `/categories/${id}`, message: 'is not a category of the organisation' }));
  if (unknown.length > 0)
    throw new AppError('invalid_request', 'the request is not valid', { fields: unknown });
  for (const [id, channels] of Object.entries(changes))
    if (byId.get(id)!.required && Object.values(channels).includes(false))
      throw new AppError('unprocessable', `/categories/${id}: is required and cannot be switched off`);
}

/** Only channels of this deployment. */
function toWire(
  { channels }: Pick<Deps, 'channels'>,
  userId: string,
  categories: readonly Category[],
  switchedOff: SwitchedOff,
) {
  const names = PERSONAL_CHANNELS.filter((name) => channels.has(name));
  return {
    user_id: userId,
    categories: categories.map((category) => ({
      id: category.id,
      name: category.name,
      description: category.description,
      required: category.required,
      channels: Object.fromEntries(
        names.map((name) => [name, !isSwitchedOff(switchedOff, category, name)] as const),
      ),
    })),
  };
}
