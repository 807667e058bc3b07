// Which flow a request looks at: a stored version, or a definition that came along.
import type { Caller } from '@parley/http';
import type { Deps } from '../deps.ts';
import type { Looked } from '../heavy/explain-jobs.ts';
import { getHead } from '../flows/version-ledger.ts';

export interface Asked {
  readonly version?: number | undefined;
  readonly definition?: unknown;
}

/** Drafts too, with errors or without: what a turn of them would do can be told. @throws AppError not_found */
export async function lookedAt(
  deps: Pick<Deps, 'sql' | 'runnableFlows' | 'config'>,
  caller: Caller,
  flowId: string,
  asked: Asked,
): Promise<Looked> {
  const key = { organizationId: caller.organizationId, flowId };
  const head = await getHead(deps.sql, key);
  const stepsMax = deps.config.FLOW_STEPS_MAX;
  if (asked.definition !== undefined)
    return { definition: asked.definition, flowId, version: null, stepsMax, stepsProvedMax: null };
  const version = asked.version ?? head.latestVersion;
  const { compiled, stepsProvedMax } = await deps.runnableFlows.getVersion(key, version);
  return { definition: compiled.model.definition, flowId, version, stepsMax, stepsProvedMax };
}
