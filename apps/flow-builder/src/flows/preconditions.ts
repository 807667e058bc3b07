// If-Match on a flow (RFC 9110 §13.1.1): the tag must be that of the latest version.
import { AppError } from '@parley/envelopes';
import { toEtag } from '../versions/version-ledger.ts';

/** @throws AppError stale_version */
export function refuseStale(ifMatch: string | undefined, latest: { version: number; hash: string }): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (tags.includes(toEtag(latest))) return;
  throw new AppError(
    'stale_version',
    `If-Match does not name the latest version, which is ${latest.version}`,
  );
}
