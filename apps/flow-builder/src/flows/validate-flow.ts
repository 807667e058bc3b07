// POST /v1/flows/{flow_id}/validate: static graph analysis of a given definition, or of a stored version.
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import type { ValidateRequest } from './schemas.ts';
import { validateDefinition } from '../versions/check-definition.ts';
import { storedTextOf } from '../versions/version-ledger.ts';

/**
 * Always the analysis, errors or not. With a definition the flow need not exist; without one the stored latest, or
 * `version`, is analysed afresh: rules may have been added since it was stored.
 * @throws AppError not_found, invalid_request, limit_exceeded
 */
export async function validateFlow(
  deps: Pick<Deps, 'sql' | 'validationRules' | 'heavyWork'>,
  caller: Caller,
  flowId: string,
  input: ValidateRequest & { version: number | undefined },
) {
  const document = input.definition ?? (await storedDocument(deps, caller, flowId, input.version));
  const key = { organizationId: caller.organizationId, flowId };
  return (await validateDefinition(deps, key, document)).validation;
}

async function storedDocument(...asked: Parameters<typeof storedTextOf>): Promise<Record<string, unknown>> {
  const { definition } = await storedTextOf(...asked);
  return JSON.parse(definition) as Record<string, unknown>;
}
