// Which flow a request looks at: a stored version, or a definition that came along.
import type { Caller } from '@parley/http';
import type { Deps } from '../deps.ts';
import type { Looked } from '../heavy/explain-jobs.ts';
import { sentVersion } from '../conversations/played-version.ts';
import type { FlowKey } from '../flows/runnable-flows.ts';
import { getHead } from '../flows/version-ledger.ts';

export interface Asked {
  readonly version?: number | undefined;
  readonly definition?: Readonly<Record<string, unknown>> | undefined;
}

/** Drafts too, with errors or without: what a turn of them would do can be told. @throws AppError not_found */
export async function lookedAt(
  deps: Pick<Deps, 'sql' | 'runnableFlows' | 'config' | 'heavyWork' | 'validationRules'>,
  caller: Caller,
  flowId: string,
  asked: Asked,
): Promise<Looked> {
  const key = { organizationId: caller.organizationId, flowId };
  const head = await getHead(deps.sql, key);
  const stepsMax = deps.config.FLOW_STEPS_MAX;
  if (asked.definition !== undefined) return sentLook(deps, key, asked.definition, stepsMax);
  const version = asked.version ?? head.latestVersion;
  const { compiled, stepsProvedMax } = await deps.runnableFlows.getVersion(key, version);
  const { definition } = compiled.model;
  return { definition, stored: true, flowId, version, stepsMax, stepsProvedMax };
}

async function sentLook(
  deps: Pick<Deps, 'sql' | 'heavyWork' | 'validationRules'>,
  key: FlowKey,
  definition: Readonly<Record<string, unknown>>,
  stepsMax: number,
): Promise<Looked> {
  const { playable, bounds } = await sentVersion(deps, key, definition);
  return { ...playable, flowId: key.flowId, version: null, stepsMax, stepsProvedMax: bounds.stepsProvedMax };
}
