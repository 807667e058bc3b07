// Which flow a request looks at: a stored version, or a definition that came along.
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import type { Looked } from '../heavy/explain-jobs.ts';
import { sentVersion, storedVersion } from '../conversations/played-version.ts';
import { getHead } from '../versions/version-ledger.ts';

export interface Asked {
  readonly version?: number | undefined;
  readonly definition?: Readonly<Record<string, unknown>> | undefined;
}

/** Drafts too, with errors or without: what a turn of them would do can be told. @throws AppError not_found */
export async function lookedAt(
  deps: Pick<Deps, 'sql' | 'config' | 'heavyWork' | 'validationRules'>,
  caller: Caller,
  flowId: string,
  asked: Asked,
): Promise<Looked> {
  const key = { organizationId: caller.organizationId, flowId };
  const head = await getHead(deps.sql, key);
  const stepsMax = deps.config.FLOW_STEPS_MAX;
  const { version, playable, bounds } =
    asked.definition === undefined
      ? await storedVersion(deps.sql, key, asked.version ?? head.latestVersion)
      : await sentVersion(deps, key, asked.definition);
  return { ...playable, flowId, version, stepsMax, stepsProvedMax: bounds.stepsProvedMax };
}
