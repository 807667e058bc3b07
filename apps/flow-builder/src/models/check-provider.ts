// POST /v1/gateway/check: tries the provider of models, and records who did.
import { AppError } from '@parley/envelopes';
import { audit } from '@parley/server/audit';
import { SOON, type Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { createTurnMeter } from '../turns/run-turn.ts';

type CheckDeps = Pick<Deps, 'gateways' | 'transact' | 'clock' | 'ids' | 'sql' | 'log'>;

/** One check at a time for each organisation in a process: each costs three model calls. */
export function createProviderCheck(deps: CheckDeps) {
  const running = new Set<string>();
  /** @throws AppError concurrency_limited */
  return async (caller: Caller) => {
    const { organizationId } = caller;
    if (running.has(organizationId)) {
      throw new AppError('concurrency_limited', 'another check of the organisation is running', SOON);
    }
    running.add(organizationId);
    try {
      const gateways = await deps.gateways.get(organizationId);
      const checks = await gateways.check(createTurnMeter(deps, organizationId, gateways));
      const ok = checks.every(({ use, status }) =>
        use === 'classifier' ? status === 'ok' : status !== 'failed',
      );
      const entry = { action: 'gateway.checked', target: 'gateway', details: { ok } } as const;
      await deps.transact((sql) => audit(sql, deps, caller, entry));
      return { ok, checks };
    } finally {
      running.delete(organizationId);
    }
  };
}
