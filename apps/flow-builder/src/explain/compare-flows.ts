// POST /v1/flows/{flow_id}/compare: what two versions do differently, beside what was changed.
import type { Caller } from '@parley/http';
import type { Deps } from '../deps.ts';
import { defaultFrom } from '../flows/diff-flow.ts';
import { conversationTest } from '../conversations/schemas.ts';
import { sentVersion, storedPlayable } from '../conversations/played-version.ts';
import { shownTo } from '../flows/shown-to.ts';
import { testBatches } from '../conversations/stored-tests.ts';
import { getHead, getVersion } from '../flows/version-ledger.ts';
import { heavyJobs } from '../heavy/heavy-jobs.ts';
import { isSmall } from '../heavy/small.rules.ts';
import { versionsBehind } from './replay-turns.ts';
import type { CompareRequest } from './schemas.ts';

type CompareDeps = Pick<Deps, 'sql' | 'clock' | 'runnableFlows' | 'config' | 'heavyWork' | 'validationRules'>;

/** @throws AppError not_found, invalid_request, limit_exceeded, request_too_costly */
export async function compareFlows(deps: CompareDeps, caller: Caller, flowId: string, body: CompareRequest) {
  const key = { organizationId: caller.organizationId, flowId };
  const head = await getHead(deps.sql, key);
  const from = await getVersion(deps.sql, key, body.from ?? defaultFrom(head));
  const stored =
    body.definition === undefined ? await getVersion(deps.sql, key, body.to ?? head.latestVersion) : null;
  const to = stored ?? { definition: body.definition, name: from.name, version: null };
  const sent = body.definition === undefined ? null : await sentVersion(deps, key, body.definition);
  const { tests, isAll } = await storedTests(deps, key);
  const recordedOn = await versionsBehind(deps, caller, flowId, body.turns, from.version);
  const behaviour = await deps.heavyWork.run(caller.organizationId, 'compare', {
    ...{ flowId, tests, recordedOn, turns: body.turns },
    from: { ...storedPlayable(from), version: from.version },
    to: { ...(stored ? storedPlayable(stored) : sent!.playable), version: to.version },
    ...{ nowMs: deps.clock(), stepsMax: deps.config.FLOW_STEPS_MAX },
  });
  const shown = shownTo(caller);
  const pair = {
    from: { definition: shown.definition(from.definition), name: from.name },
    to: { definition: shown.definition(to.definition), name: to.name },
  };
  const diff = isSmall(pair)
    ? await heavyJobs.diff(pair)
    : await deps.heavyWork.run(caller.organizationId, 'diff', pair);
  const complete = behaviour.complete && isAll;
  return {
    flow_id: flowId,
    from: from.version,
    to: to.version,
    behaviour: { ...behaviour, complete },
    diff,
  };
}

/** As many as are in memory together anyway. */
async function storedTests({ sql }: Pick<Deps, 'sql'>, key: Parameters<typeof testBatches>[1]) {
  let tests: { readonly name: string; readonly test: ReturnType<typeof conversationTest.parse> }[] | null =
    null;
  for await (const batch of testBatches(sql, key)) {
    if (tests !== null) return { tests, isAll: false };
    tests = batch.map(({ name, test }) => ({ name, test: conversationTest.parse(test) }));
  }
  return { tests: tests ?? [], isAll: true };
}
