// Whether classification works, for /health: what recent classifications say, else a probe of the
// provider (docs/providers.md#health).
import type { Clock } from '@parley/server/runtime';
import { failureTexts, type GatewayFailure } from './failures.ts';

/** Failures for this long, without a success in between, mean "not ready". */
export const FAILING_FOR_MS = 60_000;
/** Older results say nothing about now. */
const RECENT_MS = 300_000;

export interface ClassifierHealth {
  readonly ready: boolean;
  readonly kind: 'gateway' | 'lexical';
  /** A class of failure, what it means, and since when (RFC 3339). */
  readonly reason?: GatewayFailure;
  readonly message?: string;
  readonly failing_since?: string;
}

export interface ClassifierMonitor {
  /** null: the classifier gave an answer of the requested shape. */
  record(failure: GatewayFailure | null): void;
  health(): Promise<ClassifierHealth>;
}

export function createClassifierMonitor(options: {
  readonly clock: Clock;
  readonly probe: () => Promise<GatewayFailure | null>;
}): ClassifierMonitor {
  let failing: { readonly sinceMs: number; lastMs: number; reason: GatewayFailure } | null = null;
  return {
    record: (reason) => {
      const nowMs = options.clock();
      if (reason === null) failing = null;
      else if (failing === null) failing = { sinceMs: nowMs, lastMs: nowMs, reason };
      else Object.assign(failing, { lastMs: nowMs, reason });
    },
    health: async () => {
      if (failing !== null && options.clock() - failing.lastMs > RECENT_MS) failing = null;
      if (failing !== null && failing.lastMs - failing.sinceMs >= FAILING_FOR_MS) {
        const since = new Date(failing.sinceMs).toISOString();
        return toProblem(failing.reason, since);
      }
      const reason = await options.probe();
      return reason === null ? { ready: true, kind: 'gateway' } : toProblem(reason);
    },
  };
}

function toProblem(reason: GatewayFailure, since?: string): ClassifierHealth {
  return {
    ready: false,
    kind: 'gateway',
    reason,
    message: failureTexts[reason],
    ...(since === undefined ? {} : { failing_since: since }),
  };
}
