// PUT, GET, DELETE /v1/categories: the categories of an organisation, and which of them are
// required.
import { AppError, notificationsDialect } from '@parley/envelopes';
import { Reply, type Caller } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import type { Category } from '../people/opt-out.rules.ts';
import type { PutCategory } from './schemas.ts';

const { time } = notificationsDialect;

export interface CategoryRow extends Category {
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const COLUMNS =
  'id, name, description, required, opt_in AS "optIn", created_at AS "createdAt", updated_at AS "updatedAt"';

export function toWire({ id, name, description, required, optIn, createdAt, updatedAt }: CategoryRow) {
  return {
    id,
    name,
    description,
    required,
    opt_in: optIn,
    created_at: time(createdAt),
    updated_at: time(updatedAt),
  };
}

/** 201 for a new category. @throws AppError limit_exceeded */
export async function putCategory(deps: Deps, { organizationId }: Caller, id: string, given: PutCategory) {
  const { name, description, required, opt_in: optIn } = given;
  return deps.transact(async (sql) => {
    const [row] = await sql<CategoryRow & { isNew: boolean }>(
      `INSERT INTO categories (organization_id, id, name, description, required, opt_in, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
       ON CONFLICT (organization_id, id) DO UPDATE SET name = excluded.name, description = excluded.description,
         required = excluded.required, opt_in = excluded.opt_in, updated_at = excluded.updated_at
       RETURNING ${COLUMNS}, xmax = 0 AS "isNew"`,
      [organizationId, id, name, description ?? null, required, optIn, new Date(deps.clock())],
    );
    const { isNew } = row!;
    if (isNew) await deps.limits.caps.added(sql, organizationId, 'categories');
    return new Reply(toWire(row!), { status: isNew ? 201 : 200 });
  });
}

/** Returns all: a plan allows a few hundred. */
export async function listCategories(sql: Sql, organizationId: string): Promise<CategoryRow[]> {
  return sql<CategoryRow>(`SELECT ${COLUMNS} FROM categories WHERE organization_id = $1 ORDER BY id`, [
    organizationId,
  ]);
}

/** Recipients' switches for it are removed with their next change. @throws AppError not_found */
export async function deleteCategory(deps: Deps, { organizationId }: Caller, id: string): Promise<void> {
  const removed = await deps.sql(
    'DELETE FROM categories WHERE organization_id = $1 AND id = $2 RETURNING 1 AS one',
    [organizationId, id],
  );
  if (removed.length === 0) throw new AppError('not_found', `there is no category "${id}"`);
}
