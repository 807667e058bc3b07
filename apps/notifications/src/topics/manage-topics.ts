// Manages topics and their members: PUT replaces all members, POST changes some.
import { AppError, decodeCursor, notificationsDialect, toPage } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import { inBatches, type Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import { NAMED_MAX } from './schemas.ts';

const { time } = notificationsDialect;

interface TopicRow {
  readonly id: string;
  readonly memberCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const COLUMNS = 'id, member_count AS "memberCount", created_at AS "createdAt", updated_at AS "updatedAt"';

function toWire({ id, memberCount, createdAt, updatedAt }: TopicRow) {
  return { topic_id: id, members: memberCount, created_at: time(createdAt), updated_at: time(updatedAt) };
}

type Page = { readonly limit: number; readonly cursor?: string | undefined };

/** @throws AppError conflict beyond what one request can name; limit_exceeded */
export function putMembers(deps: Deps, caller: Caller, topicId: string, users: readonly string[]) {
  return changeTopic(deps, caller, topicId, async (sql, { memberCount }) => {
    if (memberCount > NAMED_MAX)
      throw new AppError(
        'conflict',
        `topic "${topicId}" has ${memberCount} members, more than one request can name: change them with POST`,
      );
    const removed = await sql(
      `DELETE FROM topic_members AS member WHERE organization_id = $1 AND topic_id = $2
         AND NOT EXISTS (SELECT FROM unnest($3::text[]) AS named (user_id) WHERE named.user_id = member.user_id)
       RETURNING 1 AS one`,
      [caller.organizationId, topicId, users],
    );
    return (await insertMembers(deps, sql, caller.organizationId, topicId, users)) - removed.length;
  });
}

/** @throws AppError limit_exceeded */
export function changeMembers(
  deps: Deps,
  caller: Caller,
  topicId: string,
  { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
) {
  return changeTopic(deps, caller, topicId, async (sql) => {
    const count = await insertMembers(deps, sql, caller.organizationId, topicId, add);
    const removed = await sql(
      `DELETE FROM topic_members WHERE organization_id = $1 AND topic_id = $2 AND user_id = ANY($3::text[]) RETURNING 1 AS one`,
      [caller.organizationId, topicId, remove],
    );
    return count - removed.length;
  });
}

/** Locks the topic, and creates it if needed. `change` returns the growth in members. */
async function changeTopic(
  deps: Deps,
  { organizationId }: Caller,
  topicId: string,
  change: (sql: Sql, topic: TopicRow) => Promise<number>,
) {
  return deps.transact(async (sql) => {
    // Serialises changes of an organisation: its members are counted together.
    await sql('SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))::text', [
      `topics ${organizationId}`,
    ]);
    const now = new Date(deps.clock());
    const [topic] = await sql<TopicRow & { isNew: boolean }>(
      `INSERT INTO topics (organization_id, id, created_at, updated_at) VALUES ($1, $2, $3, $3)
       ON CONFLICT (organization_id, id) DO UPDATE SET updated_at = $3 RETURNING ${COLUMNS}, xmax = 0 AS "isNew"`,
      [organizationId, topicId, now],
    );
    if (topic!.isNew) await deps.limits.caps.added(sql, organizationId, 'topics');
    const more = await change(sql, topic!);
    const [changed] = await sql<TopicRow>(
      `UPDATE topics SET member_count = member_count + $3 WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
      [organizationId, topicId, more],
    );
    if (more > 0) {
      const [all] = await sql<{ members: number }>(
        'SELECT sum(member_count)::int AS members FROM topics WHERE organization_id = $1',
        [organizationId],
      );
      await deps.limits.caps.refuseBeyond(organizationId, 'topic_members', all!.members);
    }
    return toWire(changed!);
  });
}

async function insertMembers(
  { clock }: Pick<Deps, 'clock'>,
  sql: Sql,
  organizationId: string,
  topicId: string,
  users: readonly string[],
): Promise<number> {
  const rows = await sql(
    `INSERT INTO topic_members (organization_id, topic_id, user_id, created_at)
     SELECT DISTINCT $1::text, $2::text, user_id, $4::timestamptz FROM unnest($3::text[]) AS named (user_id)
     ON CONFLICT DO NOTHING RETURNING 1 AS one`,
    [organizationId, topicId, users, new Date(clock())],
  );
  return rows.length;
}

/** Runs in the transaction that deletes a recipient. */
export async function leaveTopics(sql: Sql, organizationId: string, userId: string): Promise<void> {
  await sql(
    `WITH left_topics AS (DELETE FROM topic_members WHERE organization_id = $1 AND user_id = $2 RETURNING topic_id)
     UPDATE topics SET member_count = member_count - 1 FROM left_topics
     WHERE organization_id = $1 AND id = left_topics.topic_id`,
    [organizationId, userId],
  );
}

/** @throws AppError not_found */
export async function getTopic({ sql }: Pick<Deps, 'sql'>, { organizationId }: Caller, topicId: string) {
  return toWire(await findTopic(sql, organizationId, topicId));
}

async function findTopic(sql: Sql, organizationId: string, topicId: string): Promise<TopicRow> {
  const [topic] = await sql<TopicRow>(
    `SELECT ${COLUMNS} FROM topics WHERE organization_id = $1 AND id = $2`,
    [organizationId, topicId],
  );
  if (!topic) throw unknownTopic(topicId);
  return topic;
}

/** The key that ends the previous page. */
const after = (cursor: string | undefined) => (cursor === undefined ? '' : decodeCursor(cursor, 'text')[0]);

export async function listTopics({ sql }: Pick<Deps, 'sql'>, { organizationId }: Caller, page: Page) {
  const rows = await sql<TopicRow>(
    `SELECT ${COLUMNS} FROM topics WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3::int`,
    [organizationId, after(page.cursor), page.limit + 1],
  );
  return toPage(rows, page.limit, ({ id }) => [id], toWire);
}

/** @throws AppError not_found */
export async function listMembers(
  { sql }: Pick<Deps, 'sql'>,
  { organizationId }: Caller,
  topicId: string,
  page: Page,
) {
  await findTopic(sql, organizationId, topicId);
  const rows = await sql<{ userId: string; createdAt: Date }>(
    `SELECT user_id AS "userId", created_at AS "createdAt" FROM topic_members
     WHERE organization_id = $1 AND topic_id = $2 AND user_id > $3 ORDER BY user_id LIMIT $4::int`,
    [organizationId, topicId, after(page.cursor), page.limit + 1],
  );
  return toPage(
    rows,
    page.limit,
    ({ userId }) => [userId],
    ({ userId, createdAt }) => ({ user_id: userId, created_at: time(createdAt) }),
  );
}

/** Short statements even for a large topic. A repeated call continues after a failure. */
const DELETED_AT_ONCE = { rowsMax: 5_000, batchesMax: 10_000 };

/** Stops sends to the topic where they are. @throws AppError not_found */
export async function deleteTopic({ sql }: Pick<Deps, 'sql'>, { organizationId }: Caller, topicId: string) {
  await findTopic(sql, organizationId, topicId);
  await inBatches(DELETED_AT_ONCE, (limit) =>
    sql(
      // By key range: an id list would scan the whole table.
      `DELETE FROM topic_members WHERE organization_id = $1 AND topic_id = $2 AND user_id <= (
         SELECT max(user_id) FROM (SELECT user_id FROM topic_members WHERE organization_id = $1 AND topic_id = $2
           ORDER BY user_id LIMIT $3::int) AS next) RETURNING 1 AS one`,
      [organizationId, topicId, limit],
    ),
  );
  await sql('DELETE FROM topics WHERE organization_id = $1 AND id = $2', [organizationId, topicId]);
}

function unknownTopic(topicId: string): AppError {
  return new AppError('not_found', `there is no topic "${topicId}"`);
}
