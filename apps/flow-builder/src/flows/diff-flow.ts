// GET and POST /v1/flows/{flow_id}/diff: what changed between two stored versions, or between one and a definition that is sent.
import type { Caller } from '@parley/server/http';
import type { PinnedCall } from '@parley/flow-engine';
import type { Flow } from '@parley/store-flow-builder';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { heavyJobs, type HeavyOutput } from '../heavy/heavy-jobs.ts';
import { isSmallText } from '../heavy/small.rules.ts';
import type { diffQuery, diffRequest } from './schemas.ts';
import { mayBeShownAll } from '../credentials/shown-to.ts';
import { getHead, getVersionText, type VersionText } from '../versions/version-ledger.ts';

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
  const from = await getVersionText(deps.sql, key, query.from ?? defaultFrom(head));
  const to = await getVersionText(deps.sql, key, query.to ?? head.latestVersion);
  const diff = await diffVersions(deps, caller, from, to);
  const calls = callChanges(from, to);
  if (calls.length === 0) return { from: from.version, to: to.version, ...diff };
  const told = calls.map(describeCallChange);
  // That nothing changed was said of the definitions alone.
  const summary = diff.identical ? told : [...diff.summary, ...told];
  return { from: from.version, to: to.version, ...diff, identical: false, summary, calls };
}

/**
 * `from` defaults to the published version, or the latest: what would change if the definition were stored.
 * @throws AppError not_found, invalid_request, limit_exceeded, request_too_costly
 */
export async function diffDefinition(
  deps: Pick<Deps, 'sql' | 'heavyWork'>,
  caller: Caller,
  flowId: string,
  { definition, from: asked }: z.output<typeof diffRequest>,
) {
  const key = { organizationId: caller.organizationId, flowId };
  const head = await getHead(deps.sql, key);
  const from = await getVersionText(deps.sql, key, asked ?? head.publishedVersion ?? head.latestVersion);
  return { from: from.version, to: null, ...(await diffVersions(deps, caller, from, { definition })) };
}

/** Between a stored version and another one, or what was sent in its place. */
export async function diffVersions(
  { heavyWork }: Pick<Deps, 'heavyWork'>,
  caller: Caller,
  from: VersionText,
  to: VersionText | { readonly definition: Readonly<Record<string, unknown>> },
): Promise<HeavyOutput<'diff'>> {
  const isStored = 'version' in to;
  // What was sent is not masked: a mask that is equal would tell who guesses a credential that he is right.
  const maskable = isStored ? (['from', 'to'] as const) : (['from'] as const);
  const input = {
    from: from.definition,
    to: isStored ? to.definition : JSON.stringify(to.definition),
    names: { from: from.name, to: isStored ? to.name : from.name },
    masked: mayBeShownAll(caller) ? [] : maskable,
  };
  return isSmallText(input.from) && isSmallText(input.to)
    ? heavyJobs.diff(input)
    : heavyWork.run(caller.organizationId, 'diff', input);
}

interface CallChange {
  readonly node_id: string;
  readonly flow_id: string;
  readonly before: number;
  readonly after: number;
}

/** Calls of the same node that run another version of the same flow; what else changes in a call, its definition says. */
function callChanges(from: VersionText, to: VersionText): CallChange[] {
  const pinned = ({ calls }: VersionText) => (calls as unknown as readonly PinnedCall[] | null) ?? [];
  const older = new Map(pinned(from).map((call) => [JSON.stringify([call.node_id, call.flow_id]), call]));
  return pinned(to).flatMap(({ node_id, flow_id, version }) => {
    const before = older.get(JSON.stringify([node_id, flow_id]))?.version ?? version;
    return before === version ? [] : [{ node_id, flow_id, before, after: version }];
  });
}

function describeCallChange({ node_id, flow_id, before, after }: CallChange): string {
  return `The call "${node_id}" runs version ${after} of flow "${flow_id}" instead of ${before}.`;
}

export function defaultFrom(head: Flow): number {
  return head.publishedVersion ?? Math.max(1, head.latestVersion - 1);
}
