// The version that a simulation or a test run uses: a stored one, or a definition in the request.
import type { Validation } from '@parley/flow-analysis';
import { compileFlow, type AuthoredFlow, type CompiledFlow } from '@parley/flow-engine';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import { readFlow, type Playable } from '../heavy/job-parts.ts';
import { SMALL_CHARACTERS } from '../heavy/small.rules.ts';
import {
  readAgentMode,
  readFlowModel,
  type FlowKey,
  type RunnableVersion,
} from '../versions/runnable-flows.ts';
import { validateDefinition } from '../versions/check-definition.ts';
import { getVersionText, type VersionText } from '../versions/version-ledger.ts';

export interface PlayedVersion {
  /** null: not stored. */
  readonly version: number | null;
  /** With the called flows in it. */
  readonly playable: Playable;
  readonly bounds: Pick<RunnableVersion, 'agentMode' | 'stepsProvedMax' | 'modelName'>;
  /** Call it for small definitions only: it blocks as long as compiling takes. */
  readonly compiled: () => CompiledFlow;
}

/** With the called flows in it. */
export function toPlayable({ expanded, definition }: VersionText): Playable {
  const json = expanded ?? definition;
  return json.length > SMALL_CHARACTERS ? { json } : { definition: JSON.parse(json), stored: true };
}

/** @throws AppError not_found */
export async function loadStoredVersion(
  sql: Sql,
  key: FlowKey,
  number: number,
): Promise<PlayedVersion & { readonly valid: boolean }> {
  const found = await getVersionText(sql, key, number);
  const { version, valid, agentMode, stepsProvedMax, modelName } = found;
  const playable = toPlayable(found);
  return {
    version,
    valid,
    playable,
    bounds: { agentMode: readAgentMode({ agent_mode: agentMode }), stepsProvedMax, modelName },
    compiled: () => compileFlow(readFlow(playable)),
  };
}

/**
 * With the bounds of a stored version. @throws AppError invalid_request, limit_exceeded,
 * request_too_costly
 */
export async function checkSentVersion(
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
    bounds: {
      agentMode: readAgentMode(definition),
      stepsProvedMax,
      modelName: readFlowModel(definition as AuthoredFlow),
    },
    compiled: () => compileFlow(readFlow(playable)),
  };
}
