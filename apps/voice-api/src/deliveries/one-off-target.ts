// The target of a one-off delivery. It is stored sealed, because addresses and headers often hold
// credentials.
import { z } from 'zod';
import type { Sealer } from '@parley/server/runtime';
import { oneOffContext } from '@parley/server/sealed-columns';

const oneOffTarget = z.object({
  /** The id in the body, sent as `webhook-id`. */
  id: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  signingSecrets: z.array(z.string()),
});
export type OneOffTarget = z.output<typeof oneOffTarget>;

/** `event` is its row in webhook_events. */
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
