// POST /v1/flows/{flow_id}/compare: what two versions do differently, beside what was changed.
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { defaultFrom, diffVersions } from '../flows/diff-flow.ts';
import type { FlowKey } from '../versions/runnable-flows.ts';
import { conversationTest } from '../conversations/schemas.ts';
import { sentVersion, storedPlayable } from '../conversations/played-version.ts';
import { testBatches } from '../conversations/stored-tests.ts';
import { getHead, getVersionText } from '../versions/version-ledger.ts';
import { versionsBehind } from './replay-turns.ts';
import type { CompareRequest } from './schemas.ts';

type CompareDeps = Pick<Deps, 'sql' | 'clock' | 'config' | 'heavyWork' | 'validationRules'>;

/** @throws AppError not_found, invalid_request, limit_exceeded, request_too_costly */
export async function compareFlows(deps: CompareDeps, caller: Caller, flowId: string, body: CompareRequest) {
  const key = { organizationId: caller.organizationId, flowId };
  const head = await getHead(deps.sql, key);
  const from = await getVersionText(deps.sql, key, body.from ?? defaultFrom(head));
  const { to, played } = await comparedTo(deps, key, body.to ?? head.latestVersion, body.definition);
  const { tests, isAll } = await storedTests(deps, key);
  const recordedOn = await versionsBehind(deps, caller, flowId, body.turns, from.version);
  const behaviour = await deps.heavyWork.run(caller.organizationId, 'compare', {
    flowId,
    tests,
    recordedOn,
    turns: body.turns,
    from: { ...storedPlayable(from), version: from.version },
    to: played,
    nowMs: deps.clock(),
    stepsMax: deps.config.FLOW_STEPS_MAX,
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

/** A stored version, or what was sent in its place: as it was written, and as it runs. */
async function comparedTo(
  deps: CompareDeps,
  key: FlowKey,
  number: number,
  definition: CompareRequest['definition'],
) {
  if (definition === undefined) {
    const to = await getVersionText(deps.sql, key, number);
    return { to, played: { ...storedPlayable(to), version: to.version } };
  }
  const { playable } = await sentVersion(deps, key, definition);
  return { to: { definition }, played: { ...playable, version: null } };
}

/** As many as are in memory together anyway. */
async function storedTests({ sql }: Pick<Deps, 'sql'>, key: FlowKey) {
  let tests: { readonly name: string; readonly test: ReturnType<typeof conversationTest.parse> }[] | null =
    null;
  for await (const batch of testBatches(sql, key)) {
    if (tests !== null) return { tests, isAll: false };
    tests = batch.map(({ name, test }) => ({ name, test: conversationTest.parse(test) }));
  }
  return { tests: tests ?? [], isAll: true };
}
