// POST /v1/flows/{flow_id}/compare: how two versions behave differently, and their diff.
import { limits } from '@parley/flow-engine';
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { chooseFrom, diffVersions } from '../flows/diff-flow.ts';
import type { FlowKey } from '../versions/runnable-flows.ts';
import { conversationTest } from '../conversations/schemas.ts';
import { checkSentVersion, toPlayable } from '../conversations/played-version.ts';
import { readTestBatches } from '../conversations/stored-tests.ts';
import { getHead, getVersionText } from '../versions/version-ledger.ts';
import { readRecordedVersions } from './replay-turns.ts';
import type { CompareRequest } from './schemas.ts';

type CompareDeps = Pick<Deps, 'sql' | 'clock' | 'config' | 'heavyWork' | 'validationRules'>;

/** @throws AppError not_found, invalid_request, limit_exceeded, request_too_costly */
export async function compareFlows(deps: CompareDeps, caller: Caller, flowId: string, body: CompareRequest) {
  const key = { organizationId: caller.organizationId, flowId };
  const head = await getHead(deps.sql, key);
  const from = await getVersionText(deps.sql, key, body.from ?? chooseFrom(head));
  const { to, played } = await readTarget(deps, key, body.to ?? head.latestVersion, body.definition);
  const { tests, isAll } = await readStoredTests(deps, key);
  const recordedOn = await readRecordedVersions(deps, caller, flowId, body.turns, from.version);
  const behaviour = await deps.heavyWork.run(caller.organizationId, 'compare', {
    flowId,
    tests,
    recordedOn,
    turns: body.turns,
    from: { ...toPlayable(from), version: from.version },
    to: played,
    nowMs: deps.clock(),
    stepsMax: limits.stepsMax,
  });
  const diff = await diffVersions(deps, caller, from, to);
  const complete = behaviour.complete && isAll;
  return {
    flow_id: flowId,
    from: from.version,
    to: played.version,
    behaviour: { ...behaviour, complete },
    diff,
  };
}

/** A stored version or a definition in the request: its text, and what runs. */
async function readTarget(
  deps: CompareDeps,
  key: FlowKey,
  number: number,
  definition: CompareRequest['definition'],
) {
  if (definition === undefined) {
    const to = await getVersionText(deps.sql, key, number);
    return { to, played: { ...toPlayable(to), version: to.version } };
  }
  const { playable } = await checkSentVersion(deps, key, definition);
  return { to: { definition }, played: { ...playable, version: null } };
}

/** The first batch only. */
async function readStoredTests({ sql }: Pick<Deps, 'sql'>, key: FlowKey) {
  let tests: { readonly name: string; readonly test: ReturnType<typeof conversationTest.parse> }[] | null =
    null;
  for await (const batch of readTestBatches(sql, key)) {
    if (tests !== null) return { tests, isAll: false };
    tests = batch.map(({ name, test }) => ({ name, test: conversationTest.parse(test) }));
  }
  return { tests: tests ?? [], isAll: true };
}
