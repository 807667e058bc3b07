// The target of a one-off delivery as it is kept: sealed, because address and headers often hold credentials.
import { z } from 'zod';
import type { Sealer } from '@parley/runtime';
import { oneOffContext } from '@parley/sealed-columns';

const oneOffTarget = z.object({
  /** The id in the body: `webhook-id`. */
  id: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  /** Rows of a release before this one have none. */
  signingSecrets: z.array(z.string()).default([]),
});
export type OneOffTarget = z.output<typeof oneOffTarget>;

/** `event` is the row in webhook_events that it belongs to. */
export function sealTarget(
  sealer: Sealer,
  event: { organizationId: string; id: string },
  target: OneOffTarget,
): Promise<string> {
  return sealer.seal(JSON.stringify(target), oneOffContext(event));
}

export async function openTarget(
  sealer: Sealer,
  event: { organizationId: string; id: string },
  sealed: string,
): Promise<OneOffTarget> {
  return oneOffTarget.parse(JSON.parse(await sealer.unseal(sealed, oneOffContext(event))));
}
