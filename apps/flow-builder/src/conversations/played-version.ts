// What a simulation or the stored tests are played against: a stored version, or a definition that is sent in its place.
import { compileFlow, type CompiledFlow, type Validation } from '@parley/flow-engine';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import { flowOf, type Playable } from '../heavy/job-parts.ts';
import { SMALL_CHARACTERS } from '../heavy/small.rules.ts';
import { agentModeOf, type FlowKey, type RunnableVersion } from '../versions/runnable-flows.ts';
import { validateDefinition } from '../versions/check-definition.ts';
import { getVersionText, type VersionText } from '../versions/version-ledger.ts';

export interface PlayedVersion {
  /** null: it is not stored. */
  readonly version: number | null;
  /** With what it calls in it. */
  readonly playable: Playable;
  readonly bounds: Pick<RunnableVersion, 'agentMode' | 'stepsProvedMax'>;
  /** Asked for only where the definition is small: it takes as long as it is large. */
  readonly compiled: () => CompiledFlow;
}

/** With what it calls in it. */
export function storedPlayable({ expanded, definition }: VersionText): Playable {
  const json = expanded ?? definition;
  return json.length > SMALL_CHARACTERS ? { json } : { definition: JSON.parse(json), stored: true };
}

/** @throws AppError not_found */
export async function storedVersion(
  sql: Sql,
  key: FlowKey,
  number: number,
): Promise<PlayedVersion & { readonly valid: boolean }> {
  const found = await getVersionText(sql, key, number);
  const { version, valid, agentMode, stepsProvedMax } = found;
  const playable = storedPlayable(found);
  return {
    version,
    valid,
    playable,
    bounds: { agentMode: agentModeOf({ agent_mode: agentMode }), stepsProvedMax },
    compiled: () => compileFlow(flowOf(playable)),
  };
}

/** With the bounds that it would have if it were stored. @throws AppError invalid_request, limit_exceeded, request_too_costly */
export async function sentVersion(
  deps: Pick<Deps, 'sql' | 'heavyWork' | 'validationRules'>,
  key: FlowKey,
  definition: Readonly<Record<string, unknown>>,
): Promise<PlayedVersion & { readonly validation: Validation }> {
  const { validation, expanded } = await validateDefinition(deps, key, definition);
  const playable = expanded === null ? { definition } : { definition: expanded, stored: true };
  const stepsProvedMax = validation.stats.max_steps_per_turn;
  return {
    version: null,
    playable,
    validation,
    bounds: { agentMode: agentModeOf(definition), stepsProvedMax },
    compiled: () => compileFlow(flowOf(playable)),
  };
}
