// Which version of a flow runs (docs/flow-language.md#which-version-runs): the one that is asked for; else the published one; else, on
// /v1, the latest without errors.
import { AppError } from '@parley/envelopes';
import type { Face } from '@parley/http';
import type { FlowKey, Pointers, RunnableFlows, RunnableVersion } from '../flows/runnable-flows.ts';
import { noFlow } from '../flows/version-ledger.ts';

export interface VersionAsked extends FlowKey {
  readonly version: number | undefined;
  readonly face: Face;
}

export interface VersionToRun {
  readonly version: number;
  readonly runnable: RunnableVersion;
  /** A draft answers, because nothing is published. */
  readonly unpublished: boolean;
}

/**
 * What is in memory is there at once: a warm turn awaits nothing, not even the next microtask.
 * @throws AppError not_found, not_published, flow_has_errors
 */
export function versionToRun(
  flows: RunnableFlows,
  asked: VersionAsked,
): VersionToRun | Promise<VersionToRun> {
  const pointers = flows.peekPointers(asked);
  if (!pointers) return loadVersion(flows, asked);
  const version = asked.version ?? chooseVersion(pointers, asked);
  const runnable = flows.peekValidVersion(asked, version);
  return runnable === undefined
    ? loadVersion(flows, asked)
    : { version, runnable, unpublished: isUnpublished(asked, pointers) };
}

async function loadVersion(flows: RunnableFlows, asked: VersionAsked): Promise<VersionToRun> {
  const pointers = await flows.pointers(asked);
  if (!pointers) throw noFlow(asked.flowId);
  const version = asked.version ?? chooseVersion(pointers, asked);
  const runnable = await flows.getValidVersion(asked, version);
  return { version, runnable, unpublished: isUnpublished(asked, pointers) };
}

const isUnpublished = ({ version }: VersionAsked, { publishedVersion }: Pointers): boolean =>
  version === undefined && publishedVersion === null;

function chooseVersion(pointers: Pointers, { face, flowId }: VersionAsked): number {
  if (pointers.publishedVersion !== null) return pointers.publishedVersion;
  if (face !== 'v1') throw new AppError('not_published', `flow "${flowId}" has no published version`);
  if (pointers.latestValid === null)
    throw new AppError('flow_has_errors', `flow "${flowId}" has no version without errors`);
  return pointers.latestValid;
}
