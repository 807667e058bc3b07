// GET /openai/v1/models: the published flows. GET /openai/v1/models/{model}: one flow or version.
import { AppError } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import type { Flow } from '@parley/store-flow-builder';
import type { Deps } from '../deps.ts';
import { parseModel } from './parse-model.ts';
import { MODELS_MAX } from './schemas.ts';

/** Newest first. Clients of models know no pages. */
export async function listModels({ sql }: Pick<Deps, 'sql'>, { organizationId }: Caller) {
  const rows = await sql<Pick<Flow, 'flowId' | 'createdAt'>>(
    `SELECT flow_id AS "flowId", created_at AS "createdAt" FROM flows
     WHERE organization_id = $1 AND published_version IS NOT NULL AND archived_at IS NULL
     ORDER BY created_at DESC, flow_id DESC LIMIT $2::int`,
    [organizationId, MODELS_MAX],
  );
  const data = rows.map(({ flowId, createdAt }) => toModel(flowId, createdAt, organizationId));
  return { object: 'list' as const, data };
}

/** @throws AppError not_found */
export async function getModel({ sql }: Pick<Deps, 'sql'>, { organizationId }: Caller, model: string) {
  const { flowId, version = null } = parseModel(model);
  const [flow] = await sql<Pick<Flow, 'createdAt'>>(
    `SELECT created_at AS "createdAt" FROM flows
     WHERE organization_id = $1 AND flow_id = $2 AND archived_at IS NULL
       AND CASE WHEN $3::int IS NULL THEN published_version IS NOT NULL ELSE latest_version >= $3::int END`,
    [organizationId, flowId, version],
  );
  if (!flow) throw new AppError('not_found', `there is no model "${model}"`);
  return toModel(model, flow.createdAt, organizationId);
}

function toModel(id: string, createdAt: Date, owned_by: string) {
  return { id, object: 'model' as const, created: Math.floor(createdAt.getTime() / 1000), owned_by };
}
