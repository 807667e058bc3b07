// The flows that a definition calls, as they stand in the store (docs/flow-language.md#calls). A version that is called is copied into the
// one that calls it, so nothing that happens to it later changes what runs.
import { AppError } from '@parley/envelopes';
import {
  calledKey,
  callsIn,
  limits,
  type AuthoredFlow,
  type CalledVersions,
  type PinnedCall,
} from '@parley/flow-engine';
import type { Sql } from '@parley/server/postgres';

/** Postgres integer: no version has a greater number. */
const VERSION_MAX = 2_147_483_647;

/**
 * Every version that the definition calls and the organisation has, ready to run.
 * @throws AppError limit_exceeded when they take more than a flow may have with its calls
 */
export async function calledVersions(
  sql: Sql,
  organizationId: string,
  definition: unknown,
): Promise<CalledVersions> {
  const calls = callsIn(definition).filter(
    ({ version }) => version === 'published' || version <= VERSION_MAX,
  );
  if (calls.length === 0) return {};
  const asked = [
    organizationId,
    calls.map(({ flowId }) => flowId),
    calls.map(({ version }) => (version === 'published' ? null : version)),
  ];
  // How large they are is known before they are read.
  const [size] = await sql<{ bytes: number }>(
    `SELECT coalesce(sum(octet_length(coalesce(v.expanded, v.definition)::text)), 0)::float8 AS bytes ${CALLED}`,
    asked,
  );
  if (size!.bytes > limits.expandedBytesMax) {
    const message = `the flows that are called take ${size!.bytes} bytes, at most ${limits.expandedBytesMax}`;
    throw new AppError('limit_exceeded', message);
  }
  const rows = await sql<Row>(
    `SELECT asked.flow_id AS "flowId", asked.version AS asked, v.version, v.valid, v.calls,
            coalesce(v.expanded, v.definition) AS definition ${CALLED}`,
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
  /** Null: the published one. */
  readonly asked: number | null;
  readonly version: number;
  readonly valid: boolean;
  readonly definition: AuthoredFlow;
  readonly calls: readonly PinnedCall[] | null;
}

const CALLED = `FROM unnest($2::text[], $3::int[]) AS asked (flow_id, version)
  JOIN flows f ON f.organization_id = $1 AND f.flow_id = asked.flow_id
  JOIN flow_versions v ON v.organization_id = f.organization_id AND v.flow_id = f.flow_id
    AND v.version = coalesce(asked.version, f.published_version)`;
