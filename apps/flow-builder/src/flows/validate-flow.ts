// POST /v1/flows/{flow_id}/validate: static analysis of a definition in the request, or of a stored
// version.
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import type { ValidateRequest } from './schemas.ts';
import { validateDefinition } from '../versions/check-definition.ts';
import { readVersionText } from '../versions/version-ledger.ts';

/**
 * Returns the analysis, with errors or without. For a definition no flow need exist. Stored
 * versions are analysed again: rules may have been added.
 * @throws AppError not_found, invalid_request, limit_exceeded
 */
export async function validateFlow(
  deps: Pick<Deps, 'sql' | 'validationRules' | 'heavyWork'>,
  caller: Caller,
  flowId: string,
  input: ValidateRequest & { version: number | undefined },
) {
  const document = input.definition ?? (await readDocument(deps, caller, flowId, input.version));
  const key = { organizationId: caller.organizationId, flowId };
  return (await validateDefinition(deps, key, document)).validation;
}

async function readDocument(...asked: Parameters<typeof readVersionText>): Promise<Record<string, unknown>> {
  const { definition } = await readVersionText(...asked);
  return JSON.parse(definition) as Record<string, unknown>;
}
