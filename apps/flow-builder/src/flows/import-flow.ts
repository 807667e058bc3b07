// POST /v1/flows/import: converts a document of another product to a definition. Stores nothing
// (docs/importers.md).
import { AppError } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import type { Outcome } from '@parley/importers';
import type { Deps } from '../deps.ts';
import type { ImportRequest } from './schemas.ts';
import { validateDefinition } from '../versions/check-definition.ts';

/** @throws AppError invalid_request with the reason, limit_exceeded, request_too_costly */
export async function importFlow(
  deps: Pick<Deps, 'sql' | 'validationRules' | 'heavyWork'>,
  { organizationId }: Caller,
  { source, format }: ImportRequest,
) {
  const imported = await deps.heavyWork.run(organizationId, 'import', { source, format });
  if (!imported.ok) {
    const fields = [{ path: '/source', message: imported.reason }];
    throw new AppError('invalid_request', `the document cannot be imported: ${imported.reason}`, { fields });
  }
  const { definition, report, texts, losses } = imported;
  const { validation } = await validateDefinition(deps, { organizationId, flowId: null }, definition);
  const count = (outcome: Outcome) => report.filter((entry) => entry.outcome === outcome).length;
  return {
    format: imported.format,
    definition,
    nodes: {
      mapped: count('mapped'),
      approximated: count('approximated'),
      dropped: count('dropped'),
    },
    report,
    texts,
    losses,
    validation,
  };
}
