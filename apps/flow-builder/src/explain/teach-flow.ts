// POST /v1/flows/{flow_id}/teach: the utterance of a recorded turn becomes an example of the draft,
// and the turn a stored test (docs/why.md#teach). Nothing is published.
import { createHash } from 'node:crypto';
import { AppError } from '@parley/envelopes';
import { limits } from '@parley/flow-engine';
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { toPlayable } from '../conversations/played-version.ts';
import { conversationTest, type ConversationTest } from '../conversations/schemas.ts';
import { storeTest } from '../conversations/stored-tests.ts';
import { nameDefinition, validateDefinition, type CheckedDefinition } from '../versions/check-definition.ts';
import type { FlowKey } from '../versions/runnable-flows.ts';
import { appendVersion, getHead, getVersion, getVersionText } from '../versions/version-ledger.ts';
import { readRecordedVersions } from './replay-turns.ts';
import type { TeachRequest } from './teach-schemas.ts';

type TeachDeps = Pick<
  Deps,
  'sql' | 'transact' | 'clock' | 'limits' | 'config' | 'heavyWork' | 'validationRules' | 'runnableFlows'
>;

/**
 * The draft is the latest version, published or not: teaching appends a version.
 * @throws AppError not_found, invalid_request, unprocessable, stale_version, limit_exceeded,
 *   request_too_costly
 */
export async function teachFlow(deps: TeachDeps, caller: Caller, flowId: string, body: TeachRequest) {
  const key = { organizationId: caller.organizationId, flowId };
  const { session_id: sessionId, turn, turns, edge = null, dry_run: isDry } = body;
  const latest = await getVersionText(deps.sql, key, (await getHead(deps.sql, key)).latestVersion);
  const taught = await deps.heavyWork.run(caller.organizationId, 'teach', {
    ...toPlayable(latest),
    authored: latest.expanded === null ? '' : latest.definition,
    flowId,
    version: latest.version,
    stepsMax: limits.stepsMax,
    stepsProvedMax: latest.stepsProvedMax,
    sessionId,
    turn,
    edge,
    turns,
    recordedOn: await readRecordedVersions(deps, caller, flowId, turns, latest.version),
  });
  const checked = await validateDefinition(deps, key, { ...taught.definition });
  const test = { name: nameTest(sessionId, turn), test: conversationTest.parse(taught.test) };
  const learned = { checked, test, note: `Taught from turn ${turn} of ${sessionId}`.slice(0, NOTE_MAX) };
  const version = isDry ? null : await storeLesson(deps, caller, key, latest.version, learned);
  const { edge: edge_index, node_id, member, utterance } = taught.lesson;
  return {
    flow_id: flowId,
    learned_from: latest.version,
    version,
    valid: checked.validation.valid,
    edge_index,
    node_id,
    member,
    utterance,
    test,
    looked_at: turns.length,
    ...taught.ways,
  };
}

/** Characters of the note of a version. */
const NOTE_MAX = 200;

interface Learned {
  readonly checked: CheckedDefinition;
  readonly test: { readonly name: string; readonly test: ConversationTest };
  readonly note: string;
}

/** @returns the version that has the example: the base itself when it had it before */
async function storeLesson(
  deps: TeachDeps,
  caller: Caller,
  key: FlowKey,
  base: number,
  { checked, test, note }: Learned,
): Promise<number> {
  const version = await deps.transact(async (sql) => {
    // The replay ran without the lock, which is held only to write.
    const head = await getHead(sql, key, 'FOR UPDATE');
    if (head.latestVersion !== base)
      throw new AppError('stale_version', `version ${head.latestVersion} was stored meanwhile; teach again`);
    const by = { principal: caller.principal, nowMs: deps.clock() };
    await storeTest(sql, key, test, by);
    const latest = await getVersion(sql, key, base);
    const named = nameDefinition(checked, latest.name);
    if (named.hash === latest.hash) return base;
    await deps.limits.caps.refuseBeyond(key.organizationId, 'versions_per_flow', base + 1);
    await appendVersion(sql, key, head, named, { ...by, note });
    return base + 1;
  });
  deps.runnableFlows.forget(key);
  return version;
}

/** Teaching from the same turn again replaces its test. */
function nameTest(sessionId: string, turn: number): string {
  const legal = /^[A-Za-z0-9_.:-]{1,90}$/.test(sessionId);
  const session = legal ? sessionId : createHash('sha256').update(sessionId).digest('hex').slice(0, 32);
  return `taught.${session}.${turn}`;
}
