// GET /v1/flows/{flow_id}/publish/preview: what publishing a version changes for callers, and its
// test run.
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { runTests } from '../conversations/stored-tests.ts';
import { getHead, getVersion } from '../versions/version-ledger.ts';
import { compareFlows } from './compare-flows.ts';

type PreviewDeps = Pick<Deps, 'sql' | 'clock' | 'config' | 'heavyWork' | 'validationRules'>;

/** @throws AppError not_found, limit_exceeded, request_too_costly */
export async function previewPublish(
  deps: PreviewDeps,
  caller: Caller,
  flowId: string,
  asked: number | undefined,
) {
  const key = { organizationId: caller.organizationId, flowId };
  const { latestVersion, publishedVersion } = await getHead(deps.sql, key);
  const { version, valid } = await getVersion(deps.sql, key, asked ?? latestVersion);
  const tests = await runTests(deps, caller, flowId, { version });
  const answer = { flow_id: flowId, version, published_version: publishedVersion, valid, tests };
  if (publishedVersion === null) return { ...answer, comparison: null };
  const body = { from: publishedVersion, to: version, turns: [] };
  const { from, to, behaviour, diff } = await compareFlows(deps, caller, flowId, body);
  return { ...answer, comparison: { from, to, behaviour, diff } };
}
