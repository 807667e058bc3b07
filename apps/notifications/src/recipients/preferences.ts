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
  isChannelOn,
  isChosen,
  NO_CHOICES,
  PERSONAL_CHANNELS,
  type Category,
  type Choices,
  type PersonalChannel,
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
  return toWire({ channels }, user, categories, await readChoices(sql, organizationId, user));
}

const requireOwner = (caller: Caller, userId: string | undefined) =>
  requireUser(getReader(caller, userId), 'preferences belong to one user');

async function readChoices(sql: Sql, organizationId: string, userId: string): Promise<Choices> {
  const [row] = await sql<Choices>(
    `SELECT switched_off AS "switchedOff", switched_on AS "switchedOn" FROM recipients
     WHERE organization_id = $1 AND user_id = $2`,
    [organizationId, userId],
  );
  return row ?? NO_CHOICES;
}

/** @throws AppError invalid_request for an unknown category; unprocessable for a required one */
export async function putPreferences(
  deps: Deps,
  caller: Caller,
  userId: string | undefined,
  changes: PutPreferences,
) {
  const { organizationId, userId: user } = requireOwner(caller, userId);
  return deps.transact(async (sql) => {
    const categories = await listCategories(sql, organizationId);
    checkChanges(categories, changes.categories ?? {});
    const choices = await changeChoices(deps, sql, organizationId, user, (before) =>
      applyChanges(before, changes, categories),
    );
    return toWire(deps, user, categories, choices);
  });
}

/** Runs in the caller's transaction and locks the row. */
export async function changeChoices(
  deps: Deps,
  sql: Sql,
  organizationId: string,
  userId: string,
  change: (before: Choices) => Choices,
): Promise<Choices> {
  const { id } = await ensureRecipient(deps, sql, organizationId, userId);
  const choices = change(await readChoices(sql, organizationId, userId));
  await sql(
    `UPDATE recipients SET switched_off = $3::jsonb, switched_on = $4::jsonb, updated_at = $5
     WHERE organization_id = $1 AND id = $2`,
    [
      organizationId,
      id,
      JSON.stringify(choices.switchedOff),
      JSON.stringify(choices.switchedOn),
      new Date(deps.clock()),
    ],
  );
  return choices;
}

function checkChanges(
  categories: readonly Category[],
  changes: NonNullable<PutPreferences['categories']>,
): void {
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
  choices: Choices,
) {
  const names = PERSONAL_CHANNELS.filter((name) => channels.has(name));
  const byChannel = (isOn: (name: PersonalChannel) => boolean) =>
    Object.fromEntries(names.map((name) => [name, isOn(name)] as const));
  return {
    user_id: userId,
    all: isChannelOn(choices, null),
    channels: byChannel((name) => isChannelOn(choices, name)),
    categories: categories.map((category) => ({
      id: category.id,
      name: category.name,
      description: category.description,
      required: category.required,
      opt_in: category.optIn,
      channels: byChannel((name) => isChosen(choices, category, name)),
    })),
  };
}
