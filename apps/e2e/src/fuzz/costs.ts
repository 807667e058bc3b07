// What requests cost the service: the slowest of each operation, sent once more with nothing else to do, and how long the event loop of
// its process stood still meanwhile (`nodejs_eventloop_lag_max_seconds`, which every look at /metrics begins anew).
import type { ServiceName } from '@parley/dev/stack';
import { metricOf } from '../soak/slope.rules.ts';

export interface OperationCost {
  readonly operation: string;
  readonly slowestMs: number;
  /** Some ten milliseconds are the meter's own. */
  readonly blockMs: number;
}

export interface Costs {
  /** Takes down how long an answer took, and how to ask for it again. */
  note(operation: string, service: ServiceName, ms: number, again: () => Promise<unknown>): void;
  /** The costliest operation first. */
  measure(): Promise<OperationCost[]>;
}

interface Slowest {
  readonly service: ServiceName;
  readonly ms: number;
  readonly again: () => Promise<unknown>;
}

export function createCosts(origins: Readonly<Record<ServiceName, string>>): Costs {
  const slowest = new Map<string, Slowest>();

  async function longestBlockMs(service: ServiceName): Promise<number> {
    const response = await fetch(`${origins[service]}/metrics`);
    return (metricOf(await response.text(), 'nodejs_eventloop_lag_max_seconds') ?? 0) * 1000;
  }

  return {
    note: (operation, service, ms, again) => {
      if (ms > (slowest.get(operation)?.ms ?? 0)) slowest.set(operation, { service, ms, again });
    },
    measure: async () => {
      const costs: OperationCost[] = [];
      for (const [operation, { service, ms, again }] of slowest) {
        await longestBlockMs(service);
        await again().catch(() => undefined);
        costs.push({ operation, slowestMs: ms, blockMs: await longestBlockMs(service) });
      }
      return costs.sort((a, b) => b.blockMs - a.blockMs || b.slowestMs - a.slowestMs);
    },
  };
}
