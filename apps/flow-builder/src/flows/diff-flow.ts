// GET /v1/flows/{flow_id}/diff: what changed between two stored versions.
import type { Caller } from '@parley/http';
import type { Flow, FlowVersion } from '@parley/store-flow-builder';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { heavyJobs, type Authored } from '../heavy/heavy-jobs.ts';
import { isSmall } from '../heavy/small.rules.ts';
import type { diffQuery } from './schemas.ts';
import { shownTo, type Shown } from './shown-to.ts';
import { getHead, getVersion } from './version-ledger.ts';

/**
 * `from` defaults to the published version, or the one before the latest; `to` to the latest (docs/flow-language.md#diff).
 * The patch applies to the definition.
 * @throws AppError not_found
 */
export async function diffFlow(
  deps: Pick<Deps, 'sql' | 'heavyWork'>,
  caller: Caller,
  flowId: string,
  query: z.output<typeof diffQuery>,
) {
  const key = { organizationId: caller.organizationId, flowId };
  const head = await getHead(deps.sql, key);
  const from = await getVersion(deps.sql, key, query.from ?? defaultFrom(head));
  const to = await getVersion(deps.sql, key, query.to ?? head.latestVersion);
  const shown = shownTo(caller);
  const input = { from: authored(from, shown), to: authored(to, shown) };
  const diff = isSmall(input)
    ? await heavyJobs.diff(input)
    : await deps.heavyWork.run(caller.organizationId, 'diff', input);
  return { from: from.version, to: to.version, ...diff };
}

export function defaultFrom(head: Flow): number {
  return head.publishedVersion ?? Math.max(1, head.latestVersion - 1);
}

/** A version's name stands beside its definition; the diff shows it as a change of the flow itself. */
function authored({ definition, name }: FlowVersion, shown: Shown): Authored {
  return { definition: shown.definition(definition), name };
}
