// GET /v1/flows/{flow_id}/diff: what changed between two stored versions.
import { diffFlows, type FlowModel } from '@parley/flow-engine';
import type { Caller } from '@parley/http';
import type { Flow, FlowVersion } from '@parley/store-flow-builder';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import type { diffQuery } from './schemas.ts';
import { shownTo, type Shown } from './shown-to.ts';
import { getHead, getVersion, parseDefinition } from './version-ledger.ts';

/**
 * `from` defaults to the published version, or the one before the latest; `to` to the latest (docs/flow-language.md#diff).
 * The patch applies to the definition.
 * @throws AppError not_found
 */
export async function diffFlow(
  deps: Pick<Deps, 'sql'>,
  caller: Caller,
  flowId: string,
  query: z.output<typeof diffQuery>,
) {
  const key = { organizationId: caller.organizationId, flowId };
  const head = await getHead(deps.sql, key);
  const from = await getVersion(deps.sql, key, query.from ?? defaultFrom(head));
  const to = await getVersion(deps.sql, key, query.to ?? head.latestVersion);
  const shown = shownTo(caller);
  return { from: from.version, to: to.version, ...diffFlows(modelOf(from, shown), modelOf(to, shown)) };
}

function defaultFrom(head: Flow): number {
  return head.publishedVersion ?? Math.max(1, head.latestVersion - 1);
}

/** A version's name stands beside its definition; the diff shows it as a change of the flow itself. */
function modelOf(version: FlowVersion, shown: Shown): FlowModel {
  return parseDefinition(shown.definition(version.definition), { name: version.name });
}
