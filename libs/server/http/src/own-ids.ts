// PUT by an id that callers choose (docs/declare.md).
import { AppError } from '@parley/envelopes';
import type { Sql } from '@parley/server/postgres';
import type { Reply } from './endpoint.ts';

interface OwnId {
  readonly organizationId: string;
  /** What begins the ids that we make, such as `bot`: those only name what exists. */
  readonly prefix: string;
  readonly id: string;
}

interface Ways<Row> {
  /** Locks the row. */
  readonly find: () => Promise<Row | null>;
  /** Answers 201. */
  readonly create: () => Promise<Reply>;
  /** Answers 200. An equal request changes nothing, and is not audited. */
  readonly replace: (row: Row) => Promise<Reply>;
}

/**
 * Creates or replaces in the transaction of `sql`. Requests for one id run one after the other, so
 * only one of them creates.
 * @throws AppError not_found for an id of ours that names nothing
 */
export async function createOrReplace<Row>(
  sql: Sql,
  { organizationId, prefix, id }: OwnId,
  { find, create, replace }: Ways<Row>,
): Promise<Reply> {
  await sql('SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))::text', [
    `put ${prefix} ${organizationId} ${id}`,
  ]);
  const row = await find();
  if (row !== null) return replace(row);
  if (id.startsWith(`${prefix}_`))
    throw new AppError(
      'not_found',
      `There is no "${id}". Ids that begin with "${prefix}_" are given by Parley: choose another one to create it.`,
    );
  return create();
}
