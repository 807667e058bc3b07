// GET and POST /v1/flows/{flow_id}/diff: the changes between two stored versions, or from a version
// to a definition in the request.
import type { Caller } from '@parley/server/http';
import type { PinnedCall } from '@parley/flow-engine';
import type { Flow } from '@parley/store-flow-builder';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { heavyJobs, type HeavyInput, type HeavyOutput } from '../heavy/heavy-jobs.ts';
import { isSmallText } from '../heavy/small.rules.ts';
import type { diffQuery, diffRequest } from './schemas.ts';
import { maySeeCredentials } from '../credentials/mask-for-caller.ts';
import { getHead, getVersionText, type VersionText } from '../versions/version-ledger.ts';

/**
 * `from` defaults to the published version, else the one before the latest; `to` to the latest
 * (docs/flow-language.md#diff). The patch applies to the definition.
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
  const from = await getVersionText(deps.sql, key, query.from ?? chooseFrom(head));
  const to = await getVersionText(deps.sql, key, query.to ?? head.latestVersion);
  const diff = await diffVersions(deps, caller, from, to);
  const calls = findCallChanges(from, to);
  if (calls.length === 0) return { from: from.version, to: to.version, ...diff };
  const sentences = calls.map(describeCallChange);
  // "Nothing changed" was about the definitions alone.
  const summary = diff.identical ? sentences : [...diff.summary, ...sentences];
  return { from: from.version, to: to.version, ...diff, identical: false, summary, calls };
}

/**
 * Shows what storing the definition would change. `from` defaults to the published version, else
 * the latest.
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

export async function diffVersions(
  { heavyWork }: Pick<Deps, 'heavyWork'>,
  caller: Caller,
  from: VersionText,
  to: VersionText | { readonly definition: Readonly<Record<string, unknown>> },
): Promise<HeavyOutput<'diff'>> {
  const isStored = 'version' in to;
  // Definitions from the request are not masked: an equal mask would confirm a guessed credential.
  const maskable = isStored ? (['from', 'to'] as const) : (['from'] as const);
  return computeDiff(heavyWork, caller, {
    from: from.definition,
    to: isStored ? to.definition : JSON.stringify(to.definition),
    names: { from: from.name, to: isStored ? to.name : from.name },
    masked: maySeeCredentials(caller) ? [] : maskable,
  });
}

/** Compares two definitions of a request: nothing in them is masked. */
export function diffSent(
  { heavyWork }: Pick<Deps, 'heavyWork'>,
  caller: Caller,
  from: object,
  to: object,
): Promise<HeavyOutput<'diff'>> {
  const names = { from: undefined, to: undefined };
  return computeDiff(heavyWork, caller, {
    from: JSON.stringify(from),
    to: JSON.stringify(to),
    names,
    masked: [],
  });
}

const computeDiff = async (
  heavyWork: Deps['heavyWork'],
  { organizationId }: Caller,
  input: HeavyInput<'diff'>,
): Promise<HeavyOutput<'diff'>> =>
  isSmallText(input.from) && isSmallText(input.to)
    ? heavyJobs.diff(input)
    : heavyWork.run(organizationId, 'diff', input);

interface CallChange {
  readonly node_id: string;
  readonly flow_id: string;
  readonly before: number;
  readonly after: number;
}

/**
 * Calls of the same node that run another version of the same flow. The definitions show other
 * changes of a call.
 */
function findCallChanges(from: VersionText, to: VersionText): CallChange[] {
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

export function chooseFrom(head: Flow): number {
  return head.publishedVersion ?? Math.max(1, head.latestVersion - 1);
}
