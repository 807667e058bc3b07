// Reads flows: the list, one version, the version ledger, the publications.
import type { z } from 'zod';
import { AppError, decodeCursor, flowBuilderDialect, toPage } from '@parley/envelopes';
import { Reply, type Caller } from '@parley/server/http';
import type { Flow, FlowPublication, FlowVersion } from '@parley/store-flow-builder';
import type { Deps } from '../deps.ts';
import type { fetchQuery, flowListQuery } from './schemas.ts';
import type { ledgerQuery } from '../versions/schemas.ts';
import { createMaskFor } from '../credentials/mask-for-caller.ts';
import { getHead, getVersion } from '../versions/version-ledger.ts';
import type { FlowKey } from '../versions/runnable-flows.ts';
import { toHead, toListedFlow, toStoredFlow, type ListedFlow } from './views.ts';

const { time } = flowBuilderDialect;

/** Newest flow first. Keyset on (created_at, flow_id): neither changes, so pages are stable. */
export async function listFlows(
  deps: Pick<Deps, 'sql'>,
  caller: Caller,
  query: z.output<typeof flowListQuery>,
) {
  const [createdAtMs, flowId] = query.cursor ? decodeCursor(query.cursor, 'time', 'text') : [null, null];
  const rows = await deps.sql<ListedFlow>(
    `SELECT page.*, published_by AS "publishedBy", errors, warnings
     FROM (
       SELECT organization_id, flow_id AS "flowId", name, latest_version AS "latestVersion", published_version AS "publishedVersion",
              published_at AS "publishedAt", created_at AS "createdAt", updated_at AS "updatedAt", archived_at AS "archivedAt"
       FROM flows
       WHERE organization_id = $1
         AND ($2::timestamptz IS NULL OR (created_at, flow_id) < ($2, $3::text))
         AND ($4::text IS NULL OR name ILIKE $4 OR flow_id ILIKE $4)
         AND ($5::boolean IS NULL OR (published_version IS NOT NULL) = $5)
         AND (archived_at IS NULL OR $6::boolean)
       ORDER BY created_at DESC, flow_id DESC LIMIT $7::int) AS page
     LEFT JOIN LATERAL (
       SELECT published_by FROM flow_publications
       WHERE organization_id = page.organization_id AND flow_id = page."flowId" AND $8::boolean
       ORDER BY published_at DESC, id DESC LIMIT 1) AS publication ON "publishedVersion" IS NOT NULL
     LEFT JOIN LATERAL (
       SELECT json_array_length(validation->'errors') AS errors, json_array_length(validation->'warnings') AS warnings
       FROM flow_versions
       WHERE organization_id = page.organization_id AND flow_id = page."flowId" AND version = page."latestVersion" AND $8::boolean
     ) AS latest ON true
     ORDER BY "createdAt" DESC, "flowId" DESC`,
    [
      caller.organizationId,
      createdAtMs === null ? null : new Date(createdAtMs),
      flowId,
      query.q === undefined ? null : `%${query.q.replaceAll(/[\\%_]/g, '\\$&')}%`,
      query.published === undefined ? null : query.published === 'true',
      query.archived === 'true',
      query.limit + 1,
      query.state === 'true',
    ],
  );
  const view = query.state === 'true' ? toListedFlow : toHead;
  return toPage(rows, query.limit, (row) => [row.createdAt.getTime(), row.flowId], view);
}

/** @throws AppError not_found */
export async function getFlow(
  deps: Pick<Deps, 'sql'>,
  caller: Caller,
  flowId: string,
  query: z.output<typeof fetchQuery>,
): Promise<Reply> {
  const key = { organizationId: caller.organizationId, flowId };
  const head = await getHead(deps.sql, key);
  const version = await getVersion(deps.sql, key, versionNumber(head, query.version));
  const definition = createMaskFor(caller).definition(version.definition);
  const flow = toStoredFlow(head, { ...version, definition });
  return new Reply(flow, { headers: { etag: flow.etag } });
}

function versionNumber(head: Flow, wanted: number | 'latest' | 'published'): number {
  if (wanted === 'latest') return head.latestVersion;
  if (wanted !== 'published') return wanted;
  if (head.publishedVersion === null)
    throw new AppError('not_found', `flow "${head.flowId}" has no published version`);
  return head.publishedVersion;
}

/** Newest first. @throws AppError not_found */
export async function listVersions(
  deps: Pick<Deps, 'sql'>,
  caller: Caller,
  flowId: string,
  query: z.output<typeof ledgerQuery>,
) {
  const key: FlowKey = { organizationId: caller.organizationId, flowId };
  const head = await getHead(deps.sql, key);
  const below = query.cursor ? decodeCursor(query.cursor, 'integer')[0] : null;
  const rows = await deps.sql<
    Pick<FlowVersion, 'version' | 'name' | 'hash' | 'note' | 'createdAt' | 'createdBy'>
  >(
    `SELECT version, name, hash, note, created_at AS "createdAt", created_by AS "createdBy" FROM flow_versions
     WHERE organization_id = $1 AND flow_id = $2 AND ($3::int IS NULL OR version < $3)
     ORDER BY version DESC LIMIT $4::int`,
    [key.organizationId, flowId, below, query.limit + 1],
  );
  return toPage(
    rows,
    query.limit,
    (row) => [row.version],
    (row) => ({
      version: row.version,
      name: row.name,
      is_draft: row.version !== head.publishedVersion,
      is_published: row.version === head.publishedVersion,
      created_at: time(row.createdAt),
      created_by: row.createdBy,
      ...(row.note === null ? {} : { note: row.note }),
      hash: row.hash,
    }),
  );
}

/** Newest first. @throws AppError not_found */
export async function listPublications(
  deps: Pick<Deps, 'sql'>,
  caller: Caller,
  flowId: string,
  query: z.output<typeof ledgerQuery>,
) {
  const key: FlowKey = { organizationId: caller.organizationId, flowId };
  await getHead(deps.sql, key);
  const before = query.cursor ? decodeCursor(query.cursor, 'text')[0] : null;
  // Ids increase with time.
  const rows = await deps.sql<Omit<FlowPublication, keyof FlowKey>>(
    `SELECT id, version, skip_tests AS "skipTests", reason, published_at AS "publishedAt", published_by AS "publishedBy"
     FROM flow_publications
     WHERE organization_id = $1 AND flow_id = $2 AND ($3::text IS NULL OR id < $3) ORDER BY id DESC LIMIT $4::int`,
    [key.organizationId, flowId, before, query.limit + 1],
  );
  return toPage(
    rows,
    query.limit,
    (row) => [row.id],
    (row) => ({
      version: row.version,
      skip_tests: row.skipTests,
      ...(row.reason === null ? {} : { reason: row.reason }),
      published_at: time(row.publishedAt),
      published_by: row.publishedBy,
    }),
  );
}
