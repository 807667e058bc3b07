// Reads the flows that a definition calls (docs/flow-language.md#calls). Their definitions are
// copied into the calling version, so later changes of them do not affect it.
import { AppError } from '@parley/envelopes';
import {
  calledKey,
  listCalls,
  limits,
  type AuthoredFlow,
  type CalledVersions,
  type PinnedCall,
} from '@parley/flow-engine';
import type { Sql } from '@parley/server/postgres';

/** Maximum of a Postgres integer. */
const VERSION_MAX = 2_147_483_647;

/**
 * Returns the called versions that the organisation has.
 * @throws AppError limit_exceeded when they are larger together than a flow with its calls may be
 */
export async function readCalledVersions(
  sql: Sql,
  organizationId: string,
  definition: unknown,
): Promise<CalledVersions> {
  const calls = listCalls(definition).filter(
    ({ version }) => version === 'published' || version <= VERSION_MAX,
  );
  if (calls.length === 0) return {};
  const asked = [
    organizationId,
    calls.map(({ flowId }) => flowId),
    calls.map(({ version }) => (version === 'published' ? null : version)),
  ];
  // Check the size before reading.
  const [size] = await sql<{ bytes: number }>(
    `SELECT coalesce(sum(octet_length(coalesce(v.expanded, v.definition)::text)), 0)::float8 AS bytes ${FROM_CALLED}`,
    asked,
  );
  if (size!.bytes > limits.expandedBytesMax) {
    const message = `the flows that are called take ${size!.bytes} bytes, at most ${limits.expandedBytesMax}`;
    throw new AppError('limit_exceeded', message);
  }
  const rows = await sql<Row>(
    `SELECT asked.flow_id AS "flowId", asked.version AS asked, v.version, v.valid, v.calls,
            coalesce(v.expanded, v.definition) AS definition ${FROM_CALLED}`,
    asked,
  );
  return Object.fromEntries(
    rows.map(({ flowId, asked, version, valid, definition, calls }) => [
      calledKey({ flowId, version: asked ?? 'published' }),
      { version, valid, definition, calls: calls ?? [] },
    ]),
  );
}

interface Row {
  readonly flowId: string;
  /** Null: the published version. */
  readonly asked: number | null;
  readonly version: number;
  readonly valid: boolean;
  readonly definition: AuthoredFlow;
  readonly calls: readonly PinnedCall[] | null;
}

const FROM_CALLED = `FROM unnest($2::text[], $3::int[]) AS asked (flow_id, version)
  JOIN flows f ON f.organization_id = $1 AND f.flow_id = asked.flow_id
  JOIN flow_versions v ON v.organization_id = f.organization_id AND v.flow_id = f.flow_id
    AND v.version = coalesce(asked.version, f.published_version)`;
