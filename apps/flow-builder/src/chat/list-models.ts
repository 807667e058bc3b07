// GET /openai/v1/models: the published flows.
import type { Caller } from '@parley/server/http';
import type { Flow } from '@parley/store-flow-builder';
import type { Deps } from '../deps.ts';
import { MODELS_MAX } from './schemas.ts';

/** Newest first. Clients of models know no pages. */
export async function listModels({ sql }: Pick<Deps, 'sql'>, { organizationId }: Caller) {
  const rows = await sql<Pick<Flow, 'flowId' | 'createdAt'>>(
    `SELECT flow_id AS "flowId", created_at AS "createdAt" FROM flows
     WHERE organization_id = $1 AND published_version IS NOT NULL AND archived_at IS NULL
     ORDER BY created_at DESC, flow_id DESC LIMIT $2::int`,
    [organizationId, MODELS_MAX],
  );
  const data = rows.map(({ flowId, createdAt }) => ({
    id: flowId,
    object: 'model' as const,
    created: Math.floor(createdAt.getTime() / 1000),
    owned_by: organizationId,
  }));
  return { object: 'list' as const, data };
}
