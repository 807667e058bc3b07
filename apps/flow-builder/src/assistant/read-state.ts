// GET /v1/assistant: whether the assistant can be used.
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { failureTexts } from '../gateways/failures.ts';
import { NOT_CONFIGURED } from './write-proposal.ts';

export async function readState({ gateways }: Pick<Deps, 'gateways'>, { organizationId }: Caller) {
  const { assistant, budget } = await gateways.get(organizationId);
  const message =
    assistant === null ? NOT_CONFIGURED : budget?.isUsedUp() ? failureTexts.budget_used_up : null;
  return { ready: message === null, message };
}
