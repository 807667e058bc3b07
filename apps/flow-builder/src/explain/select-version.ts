// Selects the version that a request explains: a stored one, or a definition in the request.
import { limits } from '@parley/flow-engine';
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import type { SelectedVersion } from '../heavy/explain-jobs.ts';
import { checkSentVersion, loadStoredVersion } from '../conversations/played-version.ts';
import { getHead } from '../versions/version-ledger.ts';

export interface VersionSelection {
  readonly version?: number | undefined;
  readonly definition?: Readonly<Record<string, unknown>> | undefined;
}

/** Drafts too, with errors or without. @throws AppError not_found */
export async function selectVersion(
  deps: Pick<Deps, 'sql' | 'config' | 'heavyWork' | 'validationRules'>,
  caller: Caller,
  flowId: string,
  asked: VersionSelection,
): Promise<SelectedVersion> {
  const key = { organizationId: caller.organizationId, flowId };
  const head = await getHead(deps.sql, key);
  const stepsMax = limits.stepsMax;
  const { version, playable, bounds } =
    asked.definition === undefined
      ? await loadStoredVersion(deps.sql, key, asked.version ?? head.latestVersion)
      : await checkSentVersion(deps, key, asked.definition);
  return { ...playable, flowId, version, stepsMax, stepsProvedMax: bounds.stepsProvedMax };
}
