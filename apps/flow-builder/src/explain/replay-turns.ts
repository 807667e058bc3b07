// POST /v1/flows/{flow_id}/replay: walks recorded turns again on a version.
import { AppError } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { toPlayable } from '../conversations/played-version.ts';
import { getVersionText } from '../versions/version-ledger.ts';
import type { RecordedOn } from '../heavy/explain-jobs.ts';
import { heavyJobs } from '../heavy/heavy-jobs.ts';
import type { Playable } from '../heavy/job-parts.ts';
import { isSmall } from '../heavy/small.rules.ts';
import { selectVersion } from './select-version.ts';
import type { ReplayRequest } from './schemas.ts';

/**
 * Versions on which the turns of one request were recorded, and characters of their definitions
 * together.
 */
const VERSIONS_MAX = 10;
const DEFINITIONS_CHARACTERS_MAX = 4 * 1024 * 1024;

type ReplayDeps = Pick<Deps, 'sql' | 'config' | 'heavyWork' | 'validationRules'>;

/**
 * Calls and stores nothing (docs/why.md#replay).
 * @throws AppError not_found, invalid_request, limit_exceeded, request_too_costly
 */
export async function replayTurns(deps: ReplayDeps, caller: Caller, flowId: string, body: ReplayRequest) {
  const looked = await selectVersion(deps, caller, flowId, body);
  const { turns, mode, trace } = body;
  const recordedOn = await readRecordedVersions(deps, caller, flowId, turns, looked.version);
  const input = { ...looked, turns, mode, trace, recordedOn };
  const replayed = isSmall(input)
    ? await heavyJobs.replay(input)
    : await deps.heavyWork.run(caller.organizationId, 'replay', input);
  return { flow_id: flowId, version: looked.version, mode, ...replayed };
}

/**
 * The definitions on which turns of this flow were recorded: they show whether a question is the
 * same. Omits versions that are gone.
 * @throws AppError limit_exceeded
 */
export async function readRecordedVersions(
  { sql }: Pick<Deps, 'sql'>,
  caller: Caller,
  flowId: string,
  turns: readonly Readonly<Record<string, unknown>>[],
  but: number | null,
): Promise<RecordedOn> {
  const ofThisFlow = turns.filter(({ flow_id, version }) => flow_id === flowId && Number.isInteger(version));
  const versions = new Set(ofThisFlow.map(({ version }) => version as number));
  if (but !== null) versions.delete(but);
  const key = { organizationId: caller.organizationId, flowId };
  const definitions: Record<number, Playable> = {};
  let left = DEFINITIONS_CHARACTERS_MAX;
  if (versions.size > VERSIONS_MAX) throw tooManyVersions();
  for (const version of versions) {
    const found = await getVersionText(sql, key, version).catch(unlessNotFound);
    if (found === null) continue;
    left -= (found.expanded ?? found.definition).length;
    if (left < 0) throw tooManyVersions();
    definitions[version] = toPlayable(found);
  }
  return definitions;
}

function unlessNotFound(error: unknown): null {
  if (error instanceof AppError && error.code === 'not_found') return null;
  throw error;
}

function tooManyVersions(): AppError {
  return new AppError(
    'limit_exceeded',
    `turns of one request may come from ${VERSIONS_MAX} versions with ${DEFINITIONS_CHARACTERS_MAX} characters; send several requests`,
  );
}
