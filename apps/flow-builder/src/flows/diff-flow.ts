// GET /v1/flows/{flow_id}/diff: what changed between two stored versions.
import { diffFlows } from '@parley/flow-engine';
import type { Caller } from '@parley/http';
import type { Flow, FlowVersion } from '@parley/store-flow-builder';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import type { diffQuery } from './schemas.ts';
import { getHead, getVersion, parseDefinition } from './version-ledger.ts';

/**
 * `from` defaults to the published version, or the one before the latest; `to` to the latest (spec flow-builder §8).
 * The patch applies to the definition; the name of the version is compared beside it.
 * @throws AppError not_found
 */
export async function diffFlow(
  deps: Pick<Deps, 'db'>,
  caller: Caller,
  flowId: string,
  query: z.output<typeof diffQuery>,
) {
  const key = { organizationId: caller.organizationId, flowId };
  const head = await getHead(deps.db, key);
  const from = await getVersion(deps.db, key, query.from ?? defaultFrom(head));
  const to = await getVersion(deps.db, key, query.to ?? head.latestVersion);
  const diff = diffFlows(parseDefinition(from.definition), parseDefinition(to.definition));
  return { from: from.version, to: to.version, ...withName(diff, from, to) };
}

function defaultFrom(head: Flow): number {
  return head.publishedVersion ?? Math.max(1, head.latestVersion - 1);
}

function withName(diff: ReturnType<typeof diffFlows>, from: FlowVersion, to: FlowVersion) {
  if (from.name === to.name || diff.metadata.some((change) => change.path === '/name')) return diff;
  return {
    ...diff,
    identical: false,
    summary: [`The flow was renamed from "${from.name}" to "${to.name}".`, ...diff.summary],
    metadata: [{ path: '/name', before: from.name, after: to.name }, ...diff.metadata],
  };
}
